import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  eventually,
  type RunningProcess,
  startProcess,
  startTestLandscape,
  type TestLandscape,
} from '@chandlery/testing';
import { readWorkflow, submitWorkflow, untilCompleted } from './support/crash-workflows.ts';
import { damageObject } from './support/damage-object.ts';
import { clientOf, configMaps } from './support/landscape-client.ts';
import { runCli } from './support/run-cli.ts';

const program = join(import.meta.dirname, '../../apps/cli/bin/chandlery.mjs');

const flagsOf = ({ dataDir, port, xdsPort }: TestLandscape): string[] => [
  ...['--data-dir', dataDir],
  ...['--port', String(port)],
  ...['--xds-port', String(xdsPort)],
];

/** Starts a server that will not be ready. */
const startBlocked = (landscape: TestLandscape): Promise<RunningProcess> =>
  startProcess(process.execPath, [program, 'up', ...flagsOf(landscape)]);

/** Waits until the server says that a damaged object keeps it from being ready. */
async function untilNamed(landscape: TestLandscape, object: string): Promise<void> {
  const isNamed = async (): Promise<boolean> => {
    const { status, text } = await landscape
      .request('/readyz?verbose', { token: null })
      .catch(() => ({ status: 0, text: '' }));
    const line = text.split('\n').find(each => each.startsWith('[-]startup failed')) ?? '';
    return status === 503 && line.includes(object) && line.includes('chandlery store verify');
  };
  await eventually(isNamed, { what: `/readyz that names ${object}`, timeoutMs: 60_000 });
}

test('a server whose own logical cluster is damaged does not start, and says in one error which and what to do', async () => {
  await using landscape = await startTestLandscape();
  await landscape.stop();
  const object = { cluster: 'platform', resource: 'core.chandlery.io/logicalclusters', name: 'onboarding' };
  damageObject(landscape.dataDir, object);
  const { code, stderr } = await runCli('up', ...flagsOf(landscape));
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^Why: +the stored object platform\|core.chandlery.io\/logicalclusters\|\|onboarding is damaged/m,
  );
  assert.match(stderr, /^Next: +Run "chandlery store verify", then restore a backup/m);
});

test('a damaged row of the service manager stops the service manager, and nothing else', async () => {
  await using landscape = await startTestLandscape();
  await landscape.stop();
  damageObject(landscape.dataDir, {
    cluster: 'onboarding',
    resource: 'brokers.chandlery.io/platforms',
    name: 'service-manager',
  });
  await using running = await startBlocked(landscape);
  await untilNamed(landscape, 'onboarding|brokers.chandlery.io/platforms|service-manager|service-manager');
  await using client = clientOf(landscape, 'onboarding');
  await client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'served' } });
  // Instances that cannot be read would count as unknown, which anybody may delete at brokers.
  const osb = '/v1/osb/any/v2/service_instances/x?service_id=a&plan_id=b';
  const deletion = await landscape.request(osb, { method: 'DELETE', headers: { 'x-broker-api-version': '2.17' } });
  for (const answer of [await landscape.request('/v1/service_brokers'), deletion]) {
    assert.equal(answer.status, 503);
    assert.match(answer.text, /does not serve, because it cannot read all of its objects/);
    assert.doesNotMatch(answer.text, /brokers\.chandlery\.io/, 'who asks is not known');
  }
  assert.match(running.output(), /the service manager does not serve: stored objects of its own are damaged/);
  assert.equal((await running.stop()).code, 0, 'it stops in order, though it was never ready');
});

test('a damaged product of the fleet stops the fleet manager, and nothing else', async () => {
  await using landscape = await startTestLandscape();
  await landscape.stop();
  damageObject(landscape.dataDir, {
    cluster: 'onboarding',
    resource: 'fleet.chandlery.io/fleetproducts',
    name: 'dinosaurs',
  });
  await using running = await startBlocked(landscape);
  await untilNamed(landscape, 'onboarding|fleet.chandlery.io/fleetproducts||dinosaurs');
  await using client = clientOf(landscape, 'onboarding');
  await client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'served' } });
  assert.equal((await landscape.request('/v1/service_brokers')).status, 200);
  const answer = await landscape.request('/api/dinosaurs_mgmt/v1/dinosaurs');
  assert.equal(answer.status, 503);
  assert.match(answer.text, /does not serve, because it cannot read all of its objects/);
  assert.match(running.output(), /the fleet manager does not serve: stored objects of its own are damaged/);
  assert.equal((await running.stop()).code, 0, 'it stops in order, though it was never ready');
});

const hello = (name: string) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  metadata: { name },
  spec: { entrypoint: 'main', templates: [{ name: 'main', container: { image: 'x', command: ['true'] } }] },
});

test('a damaged node of a workflow stops workflows, and nothing else', async () => {
  await using landscape = await startTestLandscape();
  await submitWorkflow(landscape, hello('first'));
  await untilCompleted(landscape, 'first', 60_000);
  const resource = 'workflows.chandlery.io/workflownodes';
  const path = '/clusters/platform/apis/workflows.chandlery.io/v1alpha1/workflownodes';
  const { items } = (await landscape.request(path)).json<{ items: { metadata: { name: string } }[] }>();
  const name = items[0]?.metadata.name ?? '';
  await landscape.stop();
  damageObject(landscape.dataDir, { cluster: 'platform', resource, name });
  await using running = await startBlocked(landscape);
  await untilNamed(landscape, `platform|${resource}|default|${name}`);
  assert.equal((await readWorkflow(landscape, 'first')).status?.phase, 'Succeeded');
  assert.equal((await landscape.request('/1/artifacts', { body: 'kept', method: 'POST' })).status, 201);
  assert.match(running.output(), /workflows are not executed: stored objects are damaged/);
  assert.equal((await running.stop()).code, 0, 'it stops in order, though it was never ready');
});

test('a damaged record of orders stops services and orders, and workflows go on', async () => {
  await using landscape = await startTestLandscape();
  const created = await landscape.request('/1/artifacts', { body: 'bytes', method: 'POST' });
  const name = created.json<{ id: string }>().id.replace('urn:ivcap:artifact:', '');
  await landscape.stop();
  const resource = 'orders.chandlery.io/artifacts';
  damageObject(landscape.dataDir, { cluster: 'onboarding', resource, name });
  await using running = await startBlocked(landscape);
  await untilNamed(landscape, `onboarding|${resource}|default|${name}`);
  assert.equal((await landscape.request('/1/artifacts')).status, 503);
  await submitWorkflow(landscape, hello('second'));
  assert.equal((await untilCompleted(landscape, 'second', 60_000)).status?.phase, 'Succeeded');
  assert.equal((await running.stop()).code, 0, 'it stops in order, though it was never ready');
});

test('a damaged logical cluster of a tenant keeps controllers from working on the rest as if it were gone', async () => {
  await using landscape = await startTestLandscape();
  await landscape.createCluster('team');
  await landscape.createCluster('other');
  await landscape.stop();
  damageObject(landscape.dataDir, {
    cluster: 'platform',
    resource: 'core.chandlery.io/logicalclusters',
    name: 'team',
  });
  await using running = await startBlocked(landscape);
  await untilNamed(landscape, 'platform|core.chandlery.io/logicalclusters||team');
  await using other = clientOf(landscape, 'other');
  await other.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'served' } });
  await using team = clientOf(landscape, 'team');
  await assert.rejects(team.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'refused' } }));
  assert.equal((await running.stop()).code, 0);
});

test('a damaged role grants nothing, and says so', async () => {
  await using landscape = await startTestLandscape();
  const cluster = landscape.cluster('onboarding');
  for (const args of [
    ['create', 'sa', 'reader'],
    ['create', 'clusterrole', 'readers', '--verb=get', '--resource=configmaps'],
    ['create', 'clusterrolebinding', 'readers', '--clusterrole=readers', '--serviceaccount=default:reader'],
  ])
    assert.equal((await cluster.kubectl(args)).code, 0);
  const token = (await cluster.kubectl(['create', 'token', 'reader'])).stdout.trim();
  const path = '/clusters/onboarding/api/v1/namespaces/kube-system/configmaps/kube-root-ca.crt';
  const before = await landscape.request(path, { token });
  assert.notEqual(before.status, 403);
  await landscape.stop();
  const resource = 'rbac.authorization.k8s.io/clusterroles';
  damageObject(landscape.dataDir, { cluster: 'onboarding', resource, name: 'readers' });
  await landscape.restart();
  const after = await landscape.request(path, { token });
  assert.equal(after.status, 500);
  assert.match(
    (await landscape.request('/readyz?verbose')).text,
    /store-integrity ok: .*clusterroles\|\|readers is damaged/,
  );
});
