import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fleetNamespace } from '../kinds/index.ts';
import { type InstanceRow, updateRow } from '../registry/fleet-registry.ts';
import { agentToken, base, startTestFacade, type TestFacade } from './test-facade.ts';

let facade: TestFacade;
before(async () => {
  facade = await startTestFacade();
});
after(() => facade[Symbol.asyncDispose]());

const cluster = `${base}/agent-clusters/frankfurt-1`;
const token = agentToken();
const list = (query = '', signal?: AbortSignal) =>
  facade.ask('GET', `${cluster}/dinosaurs${query}`, { token, ...(signal === undefined ? {} : { signal }) });
const placed = { clusterId: 'frankfurt-1', host: 'x.example.com', namespace: 'dinosaur-x', placementId: 'p1' } as const;

async function change(id: string, status: Partial<InstanceRow['status']>): Promise<void> {
  const row = facade.registry.instances.get(id) as InstanceRow;
  await facade.registry.commit([updateRow({ table: 'instances', row, status: { ...row.status, ...status } })]);
}

test('an agent is told of the instances on its cluster that it should run or remove', async () => {
  const { id } = await facade.addInstance('rex', {
    status: {
      ...placed,
      host: 'rex.example.com',
      secretName: 'instance-rex',
      ssoClientId: 'client-rex',
      desired: { product: '1.0.0', operator: '1.0.0-1' },
    },
  });
  await facade.registry.commit([
    {
      type: 'put-secret',
      tenant: fleetNamespace,
      name: 'instance-rex',
      data: { 'tls.crt': 'CERT', 'tls.key': 'KEY', 'client-secret': 'PASSWORD' },
    },
  ]);
  for (const state of ['accepted', 'deleting'] as const)
    await facade.addInstance(state, { status: { ...placed, host: `${state}.example.com`, state } });
  await facade.addInstance('early', { status: { ...placed, host: 'early.example.com', state: 'preparing' } });
  await facade.addInstance('elsewhere', { status: { ...placed, host: 'e.example.com', clusterId: 'other' } });
  await facade.addInstance('hostless', { status: { clusterId: 'frankfurt-1' } });
  const going = await facade.addInstance('going', {
    status: { ...placed, host: 'going.example.com', state: 'deprovision' },
  });
  const { status, body } = await list();
  assert.equal(status, 200);
  assert.equal(body.kind, 'ManagedDinosaurList');
  assert.deepEqual(
    body.items.map(item => item.id),
    [id, going.id].sort(),
  );
  const item = body.items.find(candidate => candidate.id === id);
  assert.deepEqual(item?.metadata.annotations, { 'mas/id': id, 'mas/placementId': 'p1' });
  assert.deepEqual(item.spec, {
    owners: ['zoe'],
    versions: { dinosaur: '1.0.0', dinosaurOperator: '1.0.0-1' },
    deleted: false,
    endpoint: { host: 'rex.example.com', tls: { cert: 'CERT', key: 'KEY' } },
    serviceAccounts: [{ name: 'default', principal: 'client-rex', password: 'PASSWORD' }],
  });
  assert.equal(body.items.find(candidate => candidate.id === going.id)?.spec.deleted, true);
  const bare = await list('?secrets=false');
  assert.doesNotMatch(bare.text, /CERT|KEY|PASSWORD/);
  const single = await facade.ask('GET', `${cluster}/dinosaurs/${id}`, { token });
  assert.equal(single.body.spec.endpoint.tls?.key, 'KEY');
});

test('a poll waits for what the agent sees, and for nothing else', async () => {
  const { id } = await facade.addInstance('polled', { status: { ...placed, host: 'polled.example.com' } });
  const { revision } = (await list('?secrets=false')).body;
  assert.equal((await list(`?revision=${revision}`)).status, 304);
  const start = performance.now();
  const waiting = list(`?revision=${revision}&wait=30&secrets=false`);
  await sleep(50);
  await change(id, { actual: { product: '1.0.0' } });
  await sleep(50);
  await change(id, { desired: { product: '2.0.0' } });
  const { status, body } = await waiting;
  assert.equal(status, 200);
  assert.notEqual(body.revision, revision);
  assert.ok(performance.now() - start < 20_000);
  assert.equal(body.items.find(item => item.id === id)?.spec.versions['dinosaur'], '2.0.0');
  await change(id, { desired: {} });
  assert.equal((await list('?secrets=false')).body.revision, revision, 'the revision follows from what is seen');
});

test('an agent that leaves secrets out notices that they changed', async () => {
  const { id } = await facade.addInstance('renewed', {
    status: { ...placed, host: 'renewed.example.com', secretName: 'instance-renewed', certificateExpiresAt: '2030' },
  });
  const revisionOf = async (): Promise<readonly [string, string]> => {
    const { revision, items } = (await list('?secrets=false')).body;
    const item = items.find(candidate => candidate.id === id);
    return [revision, item?.metadata.labels['mas/secretsRevision'] ?? ''];
  };
  const before = await revisionOf();
  await change(id, { certificateExpiresAt: '2031' });
  const after = await revisionOf();
  assert.notEqual(after[0], before[0]);
  assert.notEqual(after[1], before[1]);
  await change(id, { certificateNames: ['rex.example.com', 'admin-rex.example.com'] });
  assert.notEqual((await revisionOf())[1], after[1], 'a certificate with other names may end at the same time');
});

test('a poll with nothing new does not read the store', async () => {
  const { revision } = (await list()).body;
  const before = facade.storeReads();
  const polls = Array.from({ length: 3 }, () => list(`?revision=${revision}&wait=0.05`));
  for (const { status } of await Promise.all(polls)) assert.equal(status, 304);
  assert.equal(facade.storeReads() - before, 0);
});

test('a list with secrets reads each of them once', async () => {
  const { id } = await facade.addInstance('secretive', {
    status: { ...placed, host: 'secretive.example.com', secretName: 'instance-secretive' },
  });
  const secret = { tenant: fleetNamespace, name: 'instance-secretive', data: { 'tls.crt': 'C', 'tls.key': 'K' } };
  await facade.registry.commit([{ type: 'put-secret', ...secret }]);
  const before = facade.storeReads();
  const first = await list();
  assert.ok(first.body.items.some(item => item.id === id));
  assert.ok(facade.storeReads() > before, 'reads are counted');
  const between = facade.storeReads();
  assert.equal((await list()).text, first.text);
  assert.equal(facade.storeReads(), between);
});

test('polls that wait are bounded per cluster: the oldest ends first', async () => {
  const { revision } = (await list()).body;
  const stop = new AbortController();
  const first = list(`?revision=${revision}&wait=60`);
  await sleep(30);
  const others = Array.from({ length: 4 }, () =>
    list(`?revision=${revision}&wait=60`, stop.signal).catch(() => undefined),
  );
  assert.equal((await first).status, 304);
  stop.abort();
  await Promise.all(others);
});

test('a bad wait is rejected with code 21', async () => {
  for (const wait of ['x', '-1', '']) assert.equal((await list(`?revision=1&wait=${wait}`)).body.id, '21', wait);
});

test('an instance whose secrets cannot be read is left out and logged, the others are not', async () => {
  const { id } = await facade.addInstance('broken', {
    status: { ...placed, host: 'broken.example.com', secretName: 'instance-broken' },
  });
  const { registry } = facade;
  const readSecret = registry.readSecret.bind(registry);
  const failing: typeof readSecret = (tenant, name) =>
    name === 'instance-broken' ? Promise.reject(new Error('the key is lost')) : readSecret(tenant, name);
  Object.assign(registry, { readSecret: failing });
  try {
    const { status, body } = await list();
    const ids = body.items.map(item => item.id);
    assert.deepEqual([status, ids.includes(id), ids.length > 1], [200, false, true]);
    const line = facade.logged.find(({ fields }) => fields['instance'] === id);
    assert.equal(line?.fields['error'], 'the key is lost');
  } finally {
    Object.assign(registry, { readSecret });
  }
  assert.ok(
    (await list()).body.items.some(item => item.id === id),
    'it is back',
  );
});

const operator = (entry: object) => ({ dinosaurOperator: [entry] });
const badReports: readonly { body: unknown; code: number }[] = [
  { body: '', code: 17 },
  { body: [], code: 17 },
  { body: { conditions: {} }, code: 17 },
  { body: { conditions: [1] }, code: 17 },
  { body: operator({ version: 1, ready: true, dinosaurVersions: ['1'] }), code: 17 },
  { body: operator({ version: '1.0.0-1', ready: 'true', dinosaurVersions: ['1'] }), code: 17 },
  { body: operator({ ready: true, dinosaurVersions: ['1'] }), code: 37 },
  { body: operator({ version: '1.0.0-1', ready: true }), code: 37 },
  { body: operator({ version: '1.0.0-1', ready: true, dinosaurVersions: [] }), code: 37 },
  { body: operator({ version: 'latest', ready: true, dinosaurVersions: ['1'] }), code: 8 },
  { body: operator({ version: '1.0.0', ready: true, dinosaurVersions: ['1'] }), code: 8 },
  { body: { conditions: [{ type: 'Ready', status: 'Perhaps' }] }, code: 37 },
  { body: { capacity: { standard: { maxUnits: -1 } } }, code: 37 },
];

test('reports of a cluster that break a rule are rejected with its code and change nothing', async () => {
  for (const { body, code } of badReports) {
    const response = await facade.ask('PUT', `${cluster}/status`, { token, body });
    assert.deepEqual([response.status, response.body.id], [400, String(code)], JSON.stringify(body));
  }
  assert.deepEqual(facade.seen.clusterReports, []);
});

test('reports are handed to the use cases in their own words', async () => {
  const report = {
    conditions: [{ type: 'Ready', status: 'True' }],
    ...operator({ version: 'op.1.2.3-4', ready: true, dinosaurVersions: ['1.0.0'] }),
  };
  const response = await facade.ask('PUT', `${cluster}/status`, { token, body: report });
  assert.deepEqual([response.status, response.text], [204, '']);
  assert.deepEqual(facade.seen.clusterReports.at(-1)?.operatorVersions, [
    { version: 'op.1.2.3-4', ready: true, productVersions: ['1.0.0'] },
  ]);
  const body = {
    abc: {
      conditions: [{ type: 'Ready', status: 'True', reason: 'r' }],
      versions: { dinosaur: '1', dinosaurOperator: '2' },
      routes: null,
      endpoints: [
        { name: 'https', address: '10.0.0.1', port: 8443 },
        { name: 'https', address: 'a host', port: 8443 },
      ],
    },
  };
  assert.equal((await facade.ask('PUT', `${cluster}/dinosaurs/status`, { token, body })).status, 200);
  assert.deepEqual(facade.seen.reports.at(-1)?.get('abc'), {
    conditions: [{ type: 'Ready', status: 'True', reason: 'r', message: '' }],
    versions: { product: '1', operator: '2' },
    routes: undefined,
    adminUrl: undefined,
    endpoints: [{ name: 'https', address: '10.0.0.1', port: 8443 }],
  });
  assert.equal((await facade.ask('PUT', `${cluster}/dinosaurs/status`, { token, body: { abc: 1 } })).body.id, '17');
});

test('metrics of instances on the cluster are recorded', async () => {
  const { id } = await facade.addInstance('measured', { status: { ...placed, host: 'measured.example.com' } });
  const { id: elsewhere } = await facade.addInstance('other', {
    status: { ...placed, host: 'o.example.com', clusterId: 'other' },
  });
  const samples = [{ metric: { __name__: 'up' }, value: 1 }];
  const put = (body: unknown) => facade.ask('PUT', `${cluster}/metrics`, { token, body });
  assert.equal((await put({ [id]: samples, [elsewhere]: samples })).status, 204);
  assert.deepEqual(facade.seen.samples, [[id, samples]]);
  for (const bad of [
    { [id]: 1 },
    { [id]: [1] },
    { [id]: [{ metric: { a: 1 }, value: 1 }] },
    { [id]: [{ metric: {} }] },
  ])
    assert.equal((await put(bad)).body.id, '17');
});

test('polls end when the process stops', async () => {
  const { revision } = (await list()).body;
  const waiting = list(`?revision=${revision}&wait=60`);
  await sleep(50);
  facade.endPolls();
  assert.equal((await waiting).status, 304);
});
