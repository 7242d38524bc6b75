import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { type Client, createClient, loadKubeconfig } from '@chandlery/client';
import { type AccessRequest, accessRequests, clusters, systemNamespace } from '@chandlery/clusters/kinds';
import { isConditionTrue } from '@chandlery/runtime';
import { eventually, startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { type Mesh, meshes } from '../kinds/mesh.ts';

const core = { group: '', version: 'v1' };
const slices = { group: 'discovery.k8s.io', version: 'v1', plural: 'endpointslices', namespace: 'shop' };
const metadata = { name: 'web', namespace: 'shop' };

async function declareWeb(client: Client): Promise<void> {
  await client.create({ ...core, plural: 'namespaces' }, object('v1', 'Namespace', { metadata: { name: 'shop' } }));
  const spec = { ports: [{ port: 80 }], selector: { app: 'web' } };
  await client.create({ ...core, plural: 'services', namespace: 'shop' }, object('v1', 'Service', { metadata, spec }));
}

const sliceAt = (ip: string): KubeObject =>
  object('discovery.k8s.io/v1', 'EndpointSlice', {
    metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    ports: [{ name: '', port: 8080 }],
    endpoints: [{ addresses: [ip], conditions: { ready: true } }],
  });

const object = (apiVersion: string, kind: string, rest: Readonly<Record<string, unknown>>): KubeObject =>
  ({ apiVersion, kind, ...rest }) as unknown as KubeObject;

/** A cluster that the landscape knows by its kubeconfig only, although it serves it itself. */
async function addExternal(platform: Client, name: string, kubeconfig: string): Promise<void> {
  const place = { name, namespace: systemNamespace };
  const data = { kubeconfig: Buffer.from(kubeconfig).toString('base64') };
  const secrets = { ...core, plural: 'secrets', namespace: systemNamespace };
  await platform.create(secrets, { ...object('v1', 'Secret', { metadata: place }), data });
  const spec = { profile: 'external', purposes: ['mesh'], tenancy: 'Shared' as const, clusterConfigs: [{ name }] };
  await platform.create({ ...clusters.ref, namespace: systemNamespace }, clusters.object(place, spec));
}

const addressesOf = async (landscape: TestLandscape): Promise<string> => {
  const answer = await landscape.request('/mesh/v1/meshes/both/services/shop/web/endpoints');
  if (answer.status !== 200) return answer.text;
  const { endpoints } = answer.json<{ endpoints: { ip: string; cluster: string }[] }>();
  return endpoints.map(({ ip, cluster }) => `${cluster} ${ip}`).join();
};

test('a mesh spans a cluster that others serve, with rights to read and nothing else', async () => {
  await using landscape = await startTestLandscape();
  await landscape.createCluster('home');
  await landscape.createCluster('elsewhere');
  const kubeconfig = await readFile(landscape.kubeconfig, 'utf8');
  const connect = (context: string): Client => createClient(loadKubeconfig(kubeconfig, { context }));
  await using platform = connect('platform');
  await using home = connect('home');
  await using far = connect('elsewhere');
  await declareWeb(home);
  await declareWeb(far);
  await far.create(slices, sliceAt('10.9.0.1'));
  await addExternal(platform, 'far', kubeconfig.replace(/current-context: .*/, 'current-context: elsewhere'));
  await platform.create(meshes.ref, meshes.object({ name: 'both' }, { clusters: [{ name: 'home' }, { name: 'far' }] }));

  const seen = (wanted: string): Promise<unknown> =>
    eventually(async () => (await addressesOf(landscape)) === wanted || undefined, { what: wanted, timeoutMs: 30_000 });
  await seen('far 10.9.0.1');
  await far.update({ ...slices, name: 'web' }, sliceAt('10.9.0.2'));
  await seen('far 10.9.0.2');
  const isReady = async () => {
    const mesh = await platform.get<Mesh>({ ...meshes.ref, name: 'both' });
    return (isConditionTrue(mesh, 'Ready') && mesh.status?.services === 1) || undefined;
  };
  await eventually(isReady, { what: 'the mesh to be ready', timeoutMs: 30_000 });
  const { items } = await platform.list<AccessRequest>(accessRequests.ref);
  const [request, ...others] = items.filter(({ spec }) => spec.clusterRef?.name === 'far');
  assert.equal(others.length, 0, 'one request for all replicas');
  const rules = request?.spec.token?.permissions?.flatMap(permission => permission.rules) ?? [];
  assert.deepEqual([...new Set(rules.flatMap(({ verbs }) => verbs))], ['get', 'list', 'watch']);
  assert.deepEqual(
    rules.flatMap(({ resources = [] }) => resources),
    ['services', 'pods', 'endpointslices'],
  );
  await platform.delete({ ...meshes.ref, name: 'both' });
  const isGivenBack = async () => {
    const left = await platform.list<AccessRequest>(accessRequests.ref);
    return left.items.every(({ spec }) => spec.clusterRef?.name !== 'far') || undefined;
  };
  await eventually(isGivenBack, { what: 'access to be given back', timeoutMs: 30_000 });
});
