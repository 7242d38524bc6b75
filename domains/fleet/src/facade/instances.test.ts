import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { base, startTestFacade, type TestFacade, type TestResponse, userToken } from './test-facade.ts';

let facade: TestFacade;
before(async () => {
  facade = await startTestFacade();
});
after(() => facade[Symbol.asyncDispose]());

const collection = `${base}/dinosaurs`;

function assertError(
  { status, body, headers, text }: TestResponse,
  expected: { status: number; code: number; reason?: RegExp },
): void {
  assert.deepEqual([status, body.code], [expected.status, `DINOSAURS-MGMT-${expected.code}`], text);
  assert.equal(body.id, String(expected.code));
  assert.equal(body.kind, 'Error');
  assert.equal(body.href, `${base}/errors/${expected.code}`);
  assert.equal(body.operation_id, headers.get('x-operation-id'));
  assert.match(body.operation_id, /^[0-9a-v]{20}$/);
  assert.equal(headers.get('vary'), 'Authorization');
  if (expected.reason !== undefined) assert.match(body.reason, expected.reason);
}

test('an instance is ordered, read, listed and deleted', async () => {
  const created = await facade.ask('POST', `${collection}?async=true`, {
    body: { name: 'anna', unknown: 1, plan: null },
  });
  assert.equal(created.status, 202, created.text);
  const { id, created_at: createdAt, updated_at: updatedAt, ...rest } = created.body;
  assert.ok(Date.parse(createdAt) > 0 && Date.parse(updatedAt) > 0);
  assert.deepEqual(rest, {
    kind: 'Dinosaur',
    href: `${collection}/${id}`,
    status: 'accepted',
    cloud_provider: 'aws',
    region: 'eu-central-1',
    owner: 'zoe',
    name: 'anna',
    instance_type: 'standard',
    instance_type_name: 'Standard',
    size_id: 'x1',
    multi_az: true,
    expires_at: null,
  });
  assert.equal((await facade.ask('GET', `${collection}/${id}/`)).status, 200, 'a slash at the end does no harm');
  const list = await facade.ask('GET', `${collection}?search=name%20%3D%20anna`);
  assert.deepEqual([list.body.kind, list.body.page, list.body.size, list.body.total], ['DinosaurRequestList', 1, 1, 1]);
  const removed = await facade.ask('DELETE', `${collection}/${id}?async=true`);
  assert.deepEqual([removed.status, removed.text], [202, '']);
  assert.equal((await facade.ask('GET', `${collection}/${id}`)).body.status, 'deprovision');
});

const badBodies: readonly { why: string; body?: string }[] = [
  { why: 'no body' },
  { why: 'an empty body', body: '' },
  { why: 'a list', body: '[]' },
  { why: 'null', body: 'null' },
  { why: 'a text', body: '"x"' },
  { why: 'broken JSON', body: '{"name":' },
  { why: 'a name that is a number', body: '{"name":1}' },
  { why: 'a flag that is a text', body: '{"name":"a","multi_az":"true"}' },
  { why: 'a plan that is a list', body: '{"name":"a","plan":[]}' },
];

for (const { why, body } of badBodies) {
  test(`an order with ${why} is rejected with code 17`, async () => {
    const before = facade.registry.instances.size;
    assertError(await facade.ask('POST', `${collection}?async=true`, { body }), { status: 400, code: 17 });
    assert.equal(facade.registry.instances.size, before);
  });
}

test('a body is read before the query is checked, and a body of more than 1 MiB is rejected', async () => {
  assertError(await facade.ask('POST', collection, { body: '[]' }), { status: 400, code: 17 });
  const body = { name: 'a', filler: 'x'.repeat(1024 * 1024) };
  assertError(await facade.ask('POST', `${collection}?async=true`, { body }), { status: 413, code: 17 });
});

const badOrders: readonly { body: object; query?: string; status?: number; code: number }[] = [
  { body: { name: 'a' }, query: '', code: 103 },
  { body: { name: 'a' }, query: '?async=TRUE', code: 103 },
  { body: {}, code: 33 },
  { body: { name: 'a'.repeat(33) }, code: 34 },
  { body: { name: 'A' }, code: 32 },
  { body: { name: 'a', cloud_provider: 'gcp', region: 'eu-central-1' }, code: 30 },
  { body: { name: 'a', cloud_provider: 'aws', region: 'mars' }, code: 31 },
  { body: { name: 'a', plan: 'standard' }, code: 21 },
  { body: { name: 'a', plan: 'standard.x9' }, code: 42 },
  { body: { name: 'taken' }, status: 409, code: 36 },
];

test('orders that break a rule are rejected with its code', async () => {
  await facade.addInstance('taken');
  for (const { body, query = '?async=true', status = 400, code } of badOrders)
    assertError(await facade.ask('POST', collection + query, { body }), { status, code });
});

test('instances of others and unknown ones are not found, also with a NUL in the id', async () => {
  const { id } = await facade.addInstance('theirs', { spec: { organisation: 'other' } });
  for (const path of [id, 'nothing', 'a%00b'])
    for (const method of ['GET', 'DELETE', 'PATCH']) {
      const response = await facade.ask(
        method,
        `${collection}/${path}?async=true`,
        method === 'PATCH' ? { body: {} } : {},
      );
      assertError(response, { status: 404, code: 7 });
    }
});

test('an address that cannot be decoded is rejected with code 21', async () => {
  assertError(await facade.ask('GET', `${collection}/%ff`), { status: 400, code: 21 });
});

test('DELETE needs async=true', async () => {
  const { id } = await facade.addInstance('keep');
  assertError(await facade.ask('DELETE', `${collection}/${id}`), { status: 400, code: 103 });
  assert.equal(facade.registry.instances.get(id)?.status.state, 'ready');
});

test('PATCH gives an instance to a known colleague', async () => {
  const { id } = await facade.addInstance('given');
  assert.equal((await facade.ask('PATCH', `${collection}/${id}`, { body: {} })).body.owner, 'zoe');
  assertError(await facade.ask('PATCH', `${collection}/${id}`, { body: { owner: 7 } }), { status: 400, code: 17 });
  assertError(await facade.ask('PATCH', `${collection}/${id}`, { body: { owner: ' ' } }), { status: 400, code: 21 });
  assertError(await facade.ask('PATCH', `${collection}/${id}`, { body: { owner: 'nobody' } }), {
    status: 400,
    code: 21,
  });
  const colleague = userToken('yan');
  assertError(await facade.ask('PATCH', `${collection}/${id}`, { token: colleague, body: { owner: 'yan' } }), {
    status: 403,
    code: 11,
  });
  assert.equal((await facade.ask('PATCH', `${collection}/${id}`, { body: { owner: 'yan' } })).body.owner, 'yan');
});

test('terms are asked for before the body is read, remembered, and 503 when nobody can tell', async () => {
  const asked: string[] = [];
  await facade.configure({
    settings: { enable_terms_acceptance: true, enable_deny_list: true },
    terms: { url: 'https://accounts.example.com/terms', site_code: 'OCM', event_code: 'register' },
  });
  facade.world.askTerms = async ({ username, siteCode, eventCode }) => {
    asked.push(`${username} ${siteCode} ${eventCode}`);
    if (username === 'down') throw new Error('no connection');
    return { isRequired: username === 'bob' };
  };
  const order = (username: string, body: string) =>
    facade.ask('POST', `${collection}?async=true`, { token: userToken(username), body });
  assertError(await order('bob', '['), { status: 403, code: 12 });
  assertError(await order('bob', '['), { status: 403, code: 12 });
  assertError(await order('zoe', '['), { status: 400, code: 17 });
  const down = await order('down', '[');
  assertError(down, { status: 503, code: 503 });
  assert.match(down.headers.get('retry-after') ?? '', /^\d+$/);
  assert.deepEqual(asked, ['bob OCM register', 'zoe OCM register', 'down OCM register']);
  await facade.configure();
});

test('organisations that are not on the access list get code 18, denied users code 4', async () => {
  await facade.configure({
    settings: { enable_access_list: true, enable_deny_list: true },
    access_list: ['13640203'],
    deny_list: ['mallory'],
  });
  assert.equal((await facade.ask('GET', collection)).status, 200);
  assertError(await facade.ask('GET', collection, { token: userToken('ida', { org_id: '9' }) }), {
    status: 403,
    code: 18,
  });
  assertError(await facade.ask('GET', collection, { token: userToken('mallory') }), { status: 403, code: 4 });
  const { body } = await facade.ask('GET', `${base}/status`, { token: userToken('mallory') });
  assert.deepEqual(body, { dinosaurs: { max_capacity_reached: true } });
  await facade.configure();
});

test('metrics need integers, and a source that fails leads to code 9', async () => {
  const { id } = await facade.addInstance('measured', { status: { namespace: 'ns' } });
  const sample = { metric: { __name__: 'up' }, timestampMs: 5, value: 1 };
  facade.world.metrics = {
    query: async ({ namespace, filters }) => (namespace === 'ns' && filters?.[0] === 'up' ? [sample] : []),
    queryRange: async ({ durationMinutes, intervalSeconds }) => [
      { metric: {}, values: [{ timestampMs: durationMinutes, value: intervalSeconds }] },
    ],
    federate: async () => Promise.reject(new Error('secret address')),
  };
  const path = `${collection}/${id}/metrics`;
  for (const query of ['', '?duration=5', '?interval=5', '?duration=x&interval=5', '?duration=1.5&interval=5'])
    assertError(await facade.ask('GET', `${path}/query_range${query}`), { status: 400, code: 21 });
  const range = await facade.ask('GET', `${path}/query_range?duration=99999&interval=-3`);
  assert.deepEqual(range.body, {
    kind: 'MetricsRangeQueryList',
    id,
    items: [{ metric: {}, values: [{ timestamp: 4320, value: 1 }] }],
  });
  const instant = await facade.ask('GET', `${path}/query?filters=up`);
  assert.deepEqual(instant.body.items, [{ metric: { __name__: 'up' }, timestamp: 5, value: 1 }]);
  const failed = await facade.ask('GET', `${path}/federate`);
  assertError(failed, { status: 500, code: 9 });
  assert.doesNotMatch(failed.text, /secret/);
});

test('an organisation reads its own quota and what is used of it, and no other', async () => {
  await facade.addInstance('counted', {
    spec: { organisation: '13640203' },
    status: { state: 'ready', instanceType: 'standard', sizeId: 'x1', units: 1 },
  });
  const { status, body, text } = await facade.ask('GET', `${base}/quota`);
  assert.equal(status, 200, text);
  const lines = body.items as unknown as readonly { organisation: string; source: string; limit: number | null }[];
  assert.ok(lines.length > 0);
  assert.ok(
    lines.every(({ organisation }) => organisation === '13640203'),
    text,
  );
  assert.ok(
    lines.some(({ source }) => source === 'document'),
    text,
  );
  const other = await facade.ask('GET', `${base}/quota?organisation=13640203`, {
    token: userToken('eve', { org_id: 'another' }),
  });
  assert.ok(!other.text.includes('13640203'), other.text);
  assert.equal((await facade.ask('GET', `${base}/quota`, { token: null })).status, 401);
});
