import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { type Client, formatYaml } from '@chandlery/client';
import { createProcessNode, startWorkloads } from '@chandlery/clusters';
import { ManualClock } from '@chandlery/platform';
import { eventually, startTestPlane, tempFolder } from '@chandlery/testing';
import type { AgentInstaller, ProvidedCluster } from '../../ports.ts';
import { createAgentInstaller } from './agent-installer.ts';
import { agentImage, agentName, agentsNamespace } from './agent-objects.ts';

const cluster: ProvidedCluster = {
  name: 'dinosaurs.Local-1',
  product: 'dinosaurs',
  clusterId: 'Local-1',
  cloudProvider: 'local',
  region: 'local',
  multiAz: false,
};
const place = { namespace: agentsNamespace, name: agentName(cluster) };
const secretAt = { group: '', version: 'v1', plural: 'secrets', ...place };
const deploymentAt = { group: 'apps', version: 'v1', plural: 'deployments', ...place };
const podsAt = { group: '', version: 'v1', plural: 'pods', namespace: agentsNamespace };

/** Stands for the agent: listens on the configured port. */
const listener = "require('node:net').createServer().listen(process.env.CHANDLERY_AGENT_ROUTER_PORT, '127.0.0.1')";

const kubeconfig = (token: string): string =>
  formatYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'u', user: { token } }],
  });

let platform: Client;
let installer: AgentInstaller;
const issued: (readonly [string, number])[] = [];
const clock = new ManualClock(new Date('2030-01-01T00:00:00Z'));
const stack = new AsyncDisposableStack();
before(async () => {
  const plane = stack.use(await startTestPlane());
  const folder = stack.use(await tempFolder());
  platform = plane.connect('platform');
  const images = { [agentImage]: { command: ['node', '-e', listener, '--'] } };
  const node = stack.use(createProcessNode({ folder: folder.path, images, limits: { disposeGraceSeconds: 0 } }));
  stack.use(startWorkloads({ client: platform, node, clusterName: 'platform', stopGraceSeconds: 0 }));
  const issueToken = (clusterId: string, seconds: number): string => `token-${issued.push([clusterId, seconds])}`;
  const controlPlane = { url: 'https://127.0.0.1:7443', caPem: 'CA' };
  installer = createAgentInstaller({ platform, controlPlane, issueToken, clock });
});
after(() => stack.disposeAsync());

async function files(): Promise<Record<string, string>> {
  const secret = await platform.get<KubeObject>(secretAt);
  const data = Object.entries((secret['data'] ?? {}) as Record<string, string>);
  return Object.fromEntries(data.map(([name, text]) => [name, Buffer.from(text, 'base64').toString()]));
}

const generation = async (): Promise<number | undefined> => (await platform.get(deploymentAt)).metadata.generation;

test('an agent runs once it is installed, with a token of the landscape and access to its cluster', async () => {
  await eventually(() => installer.install(cluster, kubeconfig('first')), { timeoutMs: 20_000 });
  const { token, 'agent-token': agentToken, 'ca.crt': ca } = await files();
  assert.deepEqual([token, agentToken, ca], ['first', 'token-1', 'CA']);
  assert.deepEqual(issued, [['Local-1', 24 * 3600]]);
  const { items } = await platform.list<KubeObject>(podsAt);
  const { containers } = items[0]?.['spec'] as { containers: readonly { args: readonly string[] }[] };
  assert.deepEqual(containers[0]?.args.slice(-6, -2), ['--product', 'dinosaurs', '--cluster-id', 'Local-1']);
});

test('to install it again changes nothing; other access and another token reach it without a restart', async () => {
  const before = await generation();
  assert.equal(await installer.install(cluster, kubeconfig('first')), true);
  assert.equal(issued.length, 1);
  clock.advance(13 * 3600 * 1000);
  assert.equal(await installer.install(cluster, kubeconfig('second')), true);
  const { token, 'agent-token': agentToken } = await files();
  assert.deepEqual([token, agentToken], ['second', 'token-2']);
  assert.equal(await generation(), before);
});

test('nothing is left of an agent that was removed', async () => {
  await eventually(() => installer.remove(cluster), { timeoutMs: 20_000 });
  for (const at of [secretAt, deploymentAt]) await assert.rejects(platform.get(at), { code: 'NotFound' });
  assert.equal(await installer.remove(cluster), true);
});
