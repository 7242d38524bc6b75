import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fleetKinds } from '../kinds/index.ts';
import { exampleDocument } from '../model/configuration/test-document.ts';
import { createRow } from '../registry/fleet-registry.ts';
import { adminToken, base, startTestFacade, type TestFacade, userToken } from './test-facade.ts';

const [frankfurt] = exampleDocument()['clusters'] as Record<string, unknown>[];
const clusters = [
  frankfurt,
  { ...frankfurt, name: 'berlin-1', cluster_id: 'berlin-1', dinosaur_instance_limit: 1 },
  { ...frankfurt, name: 'oslo-1', cluster_id: 'oslo-1', region: 'eu-north-1' },
];

let facade: TestFacade;
before(async () => {
  facade = await startTestFacade({ clusters });
});
after(() => facade[Symbol.asyncDispose]());

const operate = (method: string, path: string, body?: object) =>
  facade.ask(method, `/api/fleet_mgmt/v1${path}`, { token: adminToken, ...(body === undefined ? {} : { body }) });

const order = async (name: string): Promise<string> => {
  const { status, body, text } = await facade.ask('POST', `${base}/dinosaurs?async=true`, { body: { name } });
  assert.equal(status, 202, text);
  return body.id;
};

test('a placement is explained by what every cluster would say now', async () => {
  const id = await order('explained');
  const placement = (await operate('GET', `/instances/${id}/placement`)).body;
  assert.deepEqual([placement.id, placement.kind, placement.cluster_id], [id, 'Placement', 'frankfurt-1']);
  assert.deepEqual(placement.clusters, [
    { cluster_id: 'frankfurt-1', verdict: 'current' },
    { cluster_id: 'berlin-1', verdict: 'possible' },
    {
      cluster_id: 'oslo-1',
      verdict: 'passed-over',
      reason: 'it is in region eu-north-1 of aws, not in eu-central-1 of aws',
    },
  ]);
});

test('an instance without a cluster is told which one is next, and why others are not', async () => {
  await operate('PUT', '/clusters/frankfurt-1/drain', { draining: true });
  const status = { state: 'accepted', instanceType: 'standard', sizeId: 'x1', units: 1 } as const;
  const { id } = await facade.addInstance('homeless', { status });
  const explained = (await operate('GET', `/instances/${id}/placement`)).body;
  assert.equal(explained.cluster_id, undefined);
  assert.deepEqual(explained.clusters.slice(0, 2), [
    { cluster_id: 'berlin-1', verdict: 'next' },
    { cluster_id: 'frankfurt-1', verdict: 'passed-over', reason: 'it is being drained' },
  ]);
  const unadmitted = await facade.addInstance('new', { status: {} });
  await facade.client.patch(
    { ...fleetKinds.instances.ref, namespace: 'fleet', name: unadmitted.id, subresource: 'status' },
    { type: 'merge', body: { status: { state: null } } },
  );
  assert.deepEqual((await operate('GET', `/instances/${unadmitted.id}/placement`)).body.clusters, []);
  await operate('PUT', '/clusters/frankfurt-1/drain', { draining: false });
});

test('a drained cluster gets no new instances until it is drained no longer', async () => {
  const drained = await operate('PUT', '/clusters/frankfurt-1/drain', { draining: true });
  assert.deepEqual(drained.body, {
    kind: 'ClusterDrain',
    product: 'dinosaurs',
    cluster_id: 'frankfurt-1',
    draining: true,
    lost: false,
  });
  assert.equal(facade.registry.instances.get(await order('elsewhere'))?.status.clusterId, 'berlin-1');
  assert.equal((await operate('PUT', '/clusters/frankfurt-1/drain', { draining: false })).body.draining, false);
  assert.equal(facade.registry.instances.get(await order('back'))?.status.clusterId, 'frankfurt-1');
});

test('quota is listed by its sources, with what is used', async () => {
  const spec = { product: 'dinosaurs', organisation: '13645369', users: ['cid'], maxAllowedInstances: 7 };
  const expired = { ...spec, expiresAt: '2020-01-01T00:00:00Z' };
  await facade.registry.commit([
    createRow({ table: 'grants', id: 'more', tenant: '', spec }),
    createRow({ table: 'grants', id: 'old', tenant: '', spec: expired }),
  ]);
  const before = (await operate('GET', '/quota?organisation=13640203')).body.items[0]?.used ?? Number.NaN;
  await order('counted');
  const trial = { token: userToken('tess', { org_id: 'elsewhere' }), body: { name: 'trial' } };
  assert.equal((await facade.ask('POST', `${base}/dinosaurs?async=true`, trial)).status, 202);
  const { kind, items } = (await operate('GET', '/quota')).body;
  assert.equal(kind, 'QuotaList');
  const quota = { kind: 'Quota', product: 'dinosaurs' };
  const own = { ...quota, type: 'organisation', organisation: '13645369', used: 0 };
  assert.deepEqual(items, [
    { ...quota, type: 'organisation', organisation: '13640203', source: 'document', limit: 5, used: before + 1 },
    { ...own, source: 'document', limit: 2, users: ['ann', 'ben'] },
    { ...own, source: 'grant/more', limit: 7, users: ['cid'] },
    { ...quota, type: 'account', username: 'ci-robot', source: 'document', limit: 1, used: 0 },
    { ...quota, type: 'trial', organisation: 'elsewhere', username: 'tess', source: 'settings', limit: 1, used: 1 },
  ]);
  const ofOne = (await operate('GET', '/quota?organisation=elsewhere')).body;
  assert.deepEqual([ofOne.total, ofOne.items[0]?.type], [1, 'trial']);
});

test('what does not exist, and whoever is no operator, is rejected', async () => {
  const gone = [
    ['GET', '/instances/nothing/placement'],
    ['GET', '/quota?product=nothing'],
    ['PUT', '/clusters/nothing/drain', { draining: true }],
  ] as const;
  for (const [method, path, body] of gone) assert.equal((await operate(method, path, body)).body.id, '7', path);
  for (const bad of [{}, { draining: false, lost: true }, { draining: true, lost: 'yes' }])
    assert.equal((await operate('PUT', '/clusters/frankfurt-1/drain', bad)).body.id, '17', JSON.stringify(bad));
  for (const [method, path, body] of gone) {
    const request = { token: userToken(), ...(body === undefined ? {} : { body }) };
    assert.equal((await facade.ask(method, `/api/fleet_mgmt/v1${path}`, request)).status, 403, path);
  }
});

test('capacity is reported by region and cluster, whoever has ordered', async () => {
  const list = async (): Promise<Region[]> =>
    (await operate('GET', '/capacity?product=dinosaurs')).body.items as unknown as Region[];
  const inOslo = (regions: readonly Region[]) => regions.find(({ region }) => region === 'eu-north-1');
  const before = inOslo(await list());
  await facade.addInstance('counted', {
    spec: { region: 'eu-north-1', organisation: 'another' },
    status: { state: 'ready', instanceType: 'standard', sizeId: 'x1', units: 2, clusterId: 'oslo-1' },
  });
  const after = inOslo(await list());
  assert.deepEqual(
    after?.clusters.map(({ cluster_id: id, used }) => [id, used]),
    [['oslo-1', 2]],
  );
  assert.equal(after?.instance_types.find(({ id }) => id === 'standard')?.used, 2);
  assert.equal(before?.clusters[0]?.used, 0);
  assert.equal((await operate('GET', '/capacity?product=none')).status, 404);
  assert.equal((await facade.ask('GET', '/api/fleet_mgmt/v1/capacity', { token: userToken() })).status, 403);
});

interface Region {
  readonly region: string;
  readonly instance_types: readonly { readonly id: string; readonly used: number }[];
  readonly clusters: readonly { readonly cluster_id: string; readonly used: number }[];
}
