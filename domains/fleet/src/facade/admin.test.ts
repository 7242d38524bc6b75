import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { adminToken, base, staffToken, startTestFacade, type TestFacade, userToken } from './test-facade.ts';

let facade: TestFacade;
before(async () => {
  facade = await startTestFacade();
});
after(() => facade[Symbol.asyncDispose]());

const admin = `${base}/admin`;
const token = staffToken('full');
const audit = async () => (await facade.ask('GET', `${admin}/audit?size=50`, { token: adminToken })).body;

test('operators see versions, routes and clusters, and change versions', async () => {
  const { id } = await facade.addInstance('rex', {
    status: {
      actual: { product: '1', operator: '1.0.0-1' },
      desired: { product: '2' },
      upgrading: { product: true },
      clusterId: 'frankfurt-1',
    },
  });
  const { body } = await facade.ask('GET', `${admin}/dinosaurs/${id}`, { token });
  assert.equal(body.href, `${admin}/dinosaurs/${id}`);
  assert.deepEqual(
    [
      body.actual_dinosaur_version,
      body.actual_dinosaur_operator_version,
      body.desired_dinosaur_version,
      body.dinosaur_upgrading,
    ],
    ['1', '1.0.0-1', '2', true],
  );
  assert.deepEqual(
    [body.organisation_id, body.cluster_id, body.routes, body.routes_created],
    ['13640203', 'frankfurt-1', [], false],
  );
  const patch = { dinosaur_version: '2', suspended: null };
  assert.equal((await facade.ask('PATCH', `${admin}/dinosaurs/${id}`, { token, body: patch })).status, 200);
  assert.deepEqual(facade.seen.patches.at(-1), {
    productVersion: '2',
    operatorVersion: undefined,
    suspended: undefined,
  });
  assert.equal(
    (await facade.ask('PATCH', `${admin}/dinosaurs/${id}`, { token, body: { suspended: 'yes' } })).body.id,
    '17',
  );
  assert.equal((await facade.ask('PATCH', `${admin}/dinosaurs/none`, { token, body: patch })).status, 404);
  const clusters = await facade.ask('GET', `${admin}/clusters`, { token });
  const [first] = clusters.body.items;
  assert.deepEqual(
    [first?.cluster_id, first?.cloud_provider, first?.supported_instance_type, first?.last_seen_at],
    ['frankfurt-1', 'aws', 'standard,eval', null],
  );
});

test('every call of the admin API is in the audit trail, the newest first, without secrets', async () => {
  const { id } = await facade.addInstance('audited');
  await facade.ask('GET', `${admin}/dinosaurs`, { token: null });
  await facade.ask('GET', `${admin}/dinosaurs`, { token: userToken() });
  await facade.ask('PATCH', `${admin}/dinosaurs/${id}`, {
    token,
    body: { dinosaur_version: '3', password: 'hunter2' },
  });
  await facade.ask('PATCH', `${admin}/dinosaurs/${id}`, { token, body: '[' });
  await facade.ask('DELETE', `${admin}/dinosaurs/${id}?async=true`, { token });
  const { kind, items } = await audit();
  assert.equal(kind, 'AuditEntryList');
  const told = items.slice(0, 5).map(entry => [entry.method, entry.username, entry.status_code]);
  assert.deepEqual(told, [
    ['DELETE', 'sam', 202],
    ['PATCH', 'sam', 400],
    ['PATCH', 'sam', 200],
    ['GET', 'zoe', 404],
    ['GET', '', 401],
  ]);
  assert.equal(items[0]?.url, `${admin}/dinosaurs/${id}?async=true`);
  assert.match(items[2]?.body ?? '', /"dinosaur_version":"3"/);
  assert.doesNotMatch(JSON.stringify(items), /hunter2/);
  assert.match(items[0]?.remote_address ?? '', /127\.0\.0\.1/);
});

test('a product that does not exist has no audit trail', async () => {
  await facade.ask('GET', '/api/none_mgmt/v1/admin/dinosaurs', { token: adminToken });
  await audit();
  const products = new Set([...facade.registry.auditEntries.all()].map(({ spec }) => spec.product));
  assert.deepEqual([...products], ['dinosaurs']);
});

test('a change that cannot be written to the audit trail is not carried out', async () => {
  const { id } = await facade.addInstance('untouched');
  const commit = facade.registry.commit.bind(facade.registry);
  const before = facade.seen.patches.length;
  Object.assign(facade.registry, { commit: () => Promise.reject(new Error('the store is away')) });
  try {
    const { status } = await facade.ask('PATCH', `${admin}/dinosaurs/${id}`, {
      token,
      body: { dinosaur_version: '4' },
    });
    assert.equal(status, 500);
  } finally {
    Object.assign(facade.registry, { commit });
  }
  assert.equal(facade.seen.patches.length, before);
});
