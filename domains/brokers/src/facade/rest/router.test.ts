import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { seedInstance, seedOperation, seedPlatform } from '../../test-registry.ts';
import { startTestRest, type TestRest } from './test-rest.ts';

let rest: TestRest;
before(async () => {
  rest = await startTestRest({
    retryOperation: async ({ id, spec }) => ({ type: 'accepted', operationId: id, resourceId: spec.resourceId }),
  });
});
after(() => rest[Symbol.asyncDispose]());

const platform = { name: 'p', type: 'kubernetes' };

const bodies: readonly [why: string, type: string | undefined, body: string, status: number, error: string][] = [
  ['malformed JSON', 'application/json', '{', 400, 'BadRequest'],
  ['a list', 'application/json', '[]', 400, 'BadRequest'],
  ['a key given twice', 'application/json', '{"name":"a","type":"x","name":"b"}', 400, 'BadRequest'],
  ['a key given twice deep inside', 'application/json', '{"name":"a","x":[{"b":1,"\\u0062":2}]}', 400, 'BadRequest'],
  ['a form', 'application/x-www-form-urlencoded', 'name=a', 400, 'BadRequest'],
  ['XML', 'application/xml', '<a/>', 415, 'UnsupportedMediaType'],
  ['more than a megabyte', 'application/json', `{"name":"${'x'.repeat(1024 * 1024)}"}`, 413, 'PayloadTooLarge'],
  ['more than the listener takes', 'application/json', `"${'x'.repeat(4 * 1024 * 1024)}"`, 413, 'PayloadTooLarge'],
];
for (const [why, type, body, status, error] of bodies) {
  test(`${why} is rejected with ${status}`, async () => {
    const answer = await rest.ask('POST', '/v1/platforms', {
      body,
      ...(type && { headers: { 'content-type': type } }),
    });
    assert.deepEqual([answer.status, answer.body['error']], [status, error]);
  });
}

test('a body without a content type is JSON', async () => {
  const body = new Blob([JSON.stringify({ ...platform, name: 'typeless' })]);
  const response = await fetch(`${rest.url}/v1/platforms`, {
    method: 'POST',
    headers: { authorization: 'operator' },
    body,
  });
  assert.equal(response.status, 201);
});

const unserved: readonly [method: string, path: string, status: number, allow?: string][] = [
  ['PUT', '/v1/platforms', 405, 'GET, POST, DELETE'],
  ['POST', '/v1/service_plans', 405, 'GET'],
  ['DELETE', '/v1/service_offerings/x', 405, 'GET, PATCH'],
  ['POST', '/v1/operations', 405, 'GET'],
  ['GET', '/v1/nothing', 404],
  ['GET', '/v1/platforms/a/b/c/d', 404],
  ['GET', '/v1/profile/heap', 404],
];
for (const [method, path, status, allow] of unserved) {
  test(`${method} ${path} responds with ${status}`, async () => {
    const answer = await rest.ask(method, path);
    assert.equal(answer.status, status);
    assert.equal(answer.headers.get('allow') ?? undefined, allow);
    assert.equal(typeof answer.body['description'], 'string');
  });
}

test('a slash at the end is redirected with the method kept', async () => {
  const answer = await rest.ask('GET', '/v1/platforms/?max_items=1');
  assert.deepEqual([answer.status, answer.headers.get('location')], [308, '/v1/platforms?max_items=1']);
  const one = await rest.ask('DELETE', '/v1/platforms/x/');
  assert.deepEqual([one.status, one.headers.get('location')], [308, '/v1/platforms/x']);
});

test('ids with reserved characters are rejected', async () => {
  const answer = await rest.ask('GET', '/v1/platforms/a%3Ab');
  assert.deepEqual([answer.status, answer.body['description']], [400, 'a:b contains invalid character(s)']);
});

const correlations: readonly (readonly [string, string])[] = [
  ['x-correlationid', 'one'],
  ['x-correlation-id', 'two'],
  ['x-forrequest-id', 'three'],
  ['x-request-id', 'four'],
  ['x-vcap-request-id', 'five'],
  ['x-broker-api-request-identity', 'six'],
];
test('the first of the known headers names the request', async () => {
  for (let place = 0; place < correlations.length; place++) {
    const headers = Object.fromEntries(correlations.slice(place));
    const answer = await rest.ask('GET', '/v1/platforms/missing', { headers });
    assert.equal(answer.body['correlation_id'], correlations[place]?.[1]);
    assert.equal(answer.headers.get('x-correlation-id'), correlations[place]?.[1]);
  }
  const { body } = await rest.ask('GET', '/v1/platforms/missing');
  assert.match(body['correlation_id'] as string, /^[0-9a-f-]{36}$/);
});

test('an operation carries the name of its request', async () => {
  const headers = { 'x-request-id': 'my-request' };
  const { body } = await rest.ask('POST', '/v1/platforms', { headers, body: { ...platform, name: 'named' } });
  assert.equal((body['last_operation'] as { correlation_id: string }).correlation_id, 'my-request');
});

test('async is rejected where nothing can be waited for', async () => {
  const asked = [
    ['POST', '/v1/platforms?async=true'],
    ['PATCH', '/v1/platforms/p1?async=yes'],
    ['DELETE', '/v1/platforms/p1?async=true'],
  ] as const;
  await seedPlatform(rest.registry, { id: 'p1' });
  for (const [method, path] of asked) {
    const answer = await rest.ask(method, path, method === 'DELETE' ? {} : { body: platform });
    assert.deepEqual([answer.status, answer.body['error']], [400, 'InvalidRequest'], path);
  }
  const sync = await rest.ask('PATCH', '/v1/platforms/p1?async=false', { body: {} });
  assert.equal(sync.status, 200);
});

const manners: readonly [path: string, description: RegExp][] = [
  ['/v1/service_brokers/x?cascade=true', /Cascade delete is not supported/],
  ['/v1/visibilities/x?cascade=true', /Cascade delete is not supported/],
  ['/v1/platforms/x?force=true', /force/],
  ['/v1/service_brokers/x?force=true', /force/],
];
for (const [path, description] of manners) {
  test(`DELETE ${path} is rejected`, async () => {
    const { status, body } = await rest.ask('DELETE', path);
    assert.equal(status, 400);
    assert.match(body['description'] as string, description);
  });
}

test('many resources are deleted by a filter, never without', async () => {
  for (const id of ['bulk-1', 'bulk-2', 'bulk-3']) await seedPlatform(rest.registry, { id, spec: { type: 'bulk' } });
  const bare = await rest.ask('DELETE', '/v1/platforms');
  assert.deepEqual([bare.status, bare.body['error']], [400, 'BadRequest']);
  assert.match(bare.body['description'] as string, /a filter is required/);
  assert.equal((await rest.ask('DELETE', '/v1/platforms?fieldQuery=')).status, 400);
  const filter = "fieldQuery=type eq 'bulk'";
  assert.equal((await rest.ask('DELETE', `/v1/platforms?${filter}&async=true`)).body['error'], 'BadRequest');
  assert.equal((await rest.ask('DELETE', `/v1/platforms?${filter}&cascade=true`)).status, 400);
  assert.deepEqual((await rest.ask('DELETE', `/v1/platforms?${filter}&dry_run=true`)).body, { num_items: 3 });
  assert.ok(rest.registry.platforms.get('bulk-1'));
  const done = await rest.ask('DELETE', `/v1/platforms?${filter}`);
  assert.deepEqual([done.status, done.body], [200, {}]);
  assert.equal(rest.registry.platforms.get('bulk-3'), undefined);
  assert.equal((await rest.ask('DELETE', `/v1/platforms?${filter}`)).status, 404);
});

test('ETags name what is shown and guard what is changed', async () => {
  await rest.ask('POST', '/v1/platforms', { body: { ...platform, id: 'tagged', name: 'tagged' } });
  const read = await rest.ask('GET', '/v1/platforms/tagged');
  const etag = read.headers.get('etag') ?? '';
  assert.match(etag, /^"\d+\.\d+"$/);
  assert.equal((await rest.ask('GET', '/v1/platforms/tagged', { headers: { 'if-none-match': etag } })).status, 304);
  const patched = await rest.ask('PATCH', '/v1/platforms/tagged', {
    headers: { 'if-match': etag },
    body: { description: 'x' },
  });
  assert.equal(patched.status, 200);
  assert.notEqual(patched.headers.get('etag'), etag);
  const stale = await rest.ask('PATCH', '/v1/platforms/tagged', { headers: { 'if-match': etag }, body: {} });
  assert.deepEqual([stale.status, stale.body['error']], [412, 'PreconditionFailed']);
  assert.equal((await rest.ask('DELETE', '/v1/platforms/tagged', { headers: { 'if-match': etag } })).status, 412);
  assert.equal((await rest.ask('GET', '/v1/platforms/tagged', { headers: { 'if-none-match': etag } })).status, 200);
  assert.equal((await rest.ask('DELETE', '/v1/platforms/tagged', { headers: { 'if-match': '*' } })).status, 200);
});

test('the same creation with the same key is done once', async () => {
  const headers = { 'idempotency-key': 'k1' };
  const body = { ...platform, name: 'once' };
  const asked = await Promise.all([1, 2, 3].map(() => rest.ask('POST', '/v1/platforms', { headers, body })));
  assert.deepEqual(
    asked.map(({ status }) => status),
    [201, 201, 201],
  );
  assert.equal(new Set(asked.map(answer => answer.body['id'])).size, 1);
  assert.equal(asked.filter(answer => answer.body['credentials'] !== undefined).length, 1);
  const other = await rest.ask('POST', '/v1/platforms', { headers, body: { ...body, name: 'twice' } });
  assert.deepEqual([other.status, other.body['error']], [422, 'IdempotencyKeyReused']);
  const visibility = await rest.ask('POST', '/v1/visibilities', { headers, body });
  assert.equal(visibility.status, 422);
  const somebodyElse = await rest.ask('POST', '/v1/platforms', { headers, body, as: 'user all@a' });
  assert.equal(somebodyElse.status, 201);
  await rest.ask('DELETE', `/v1/platforms/${asked[0]?.body['id'] as string}`);
  assert.equal((await rest.ask('POST', '/v1/platforms', { headers, body })).status, 410);
});

test('an operation is read through its resource only when both ids fit', async () => {
  const spec = { resourceId: 'gone', resourceType: '/v1/platforms' };
  const { id } = await seedOperation(rest.registry, { spec, status: { state: 'failed' } });
  const found = await rest.ask('GET', `/v1/platforms/gone/operations/${id}`);
  assert.deepEqual([found.status, found.body['state']], [200, 'failed']);
  assert.equal((await rest.ask('GET', `/v1/platforms/other/operations/${id}`)).status, 404);
  assert.equal((await rest.ask('GET', `/v1/service_brokers/gone/operations/${id}`)).status, 404);
});

test('operations are listed, read, deleted when they have ended, and retried', async () => {
  const { id } = await seedOperation(rest.registry, { spec: { resourceId: 'i1' }, status: { state: 'failed' } });
  const running = await seedOperation(rest.registry, { spec: { resourceId: 'i2' }, status: { state: 'in progress' } });
  const list = await rest.ask('GET', "/v1/operations?fieldQuery=state eq 'in progress' and resource_id eq 'i2'");
  assert.equal(list.body['num_items'], 1);
  assert.equal((await rest.ask('GET', `/v1/operations/${id}`)).body['last_operation'], undefined);
  const retried = await rest.ask('POST', `/v1/operations/${id}/retry`);
  assert.deepEqual(
    [retried.status, retried.headers.get('location')],
    [202, `/v1/service_instances/i1/operations/${id}`],
  );
  assert.equal((await rest.ask('POST', '/v1/operations/missing/retry')).status, 404);
  assert.equal((await rest.ask('DELETE', `/v1/operations/${running.id}`)).status, 422);
  assert.equal((await rest.ask('DELETE', `/v1/operations/${id}`)).status, 200);
  assert.equal((await rest.ask('GET', `/v1/operations/${id}`)).status, 404);
});

test('the record of a creation that is part of its resource is read, listed and deleted like any other', async () => {
  const creation = { id: 'op-at-once', platformId: 'k8s', correlationId: 'r' };
  await seedInstance(rest.registry, { id: 'at-once', status: { ready: true, creation } });
  const read = await rest.ask('GET', '/v1/service_instances/at-once/operations/op-at-once');
  assert.deepEqual([read.status, read.body['state'], read.body['type']], [200, 'succeeded', 'create']);
  const list = await rest.ask('GET', "/v1/operations?fieldQuery=resource_id eq 'at-once'");
  assert.equal(list.body['num_items'], 1);
  const shown = (await rest.ask('GET', '/v1/service_instances/at-once')).body['last_operation'] as { id: string };
  assert.equal(shown.id, 'op-at-once');
  assert.equal((await rest.ask('DELETE', '/v1/operations/op-at-once')).status, 200);
  assert.equal((await rest.ask('GET', '/v1/operations/op-at-once')).status, 404);
  const left = await rest.ask('GET', '/v1/service_instances/at-once');
  assert.deepEqual([left.status, left.body['last_operation']], [200, undefined]);
});

test('changes are audited, reads are not, and nothing secret is', async () => {
  const earlier = rest.audited.length;
  await rest.ask('GET', '/v1/platforms');
  await rest.ask('POST', '/v1/platforms?x=secret', { body: { ...platform, name: 'audited' } });
  await rest.ask('POST', '/v1/platforms', { body: {}, as: '' });
  assert.deepEqual(
    rest.audited.slice(earlier).map(({ user, verb, path, status }) => [user, verb, path, status]),
    [
      ['admin', 'create', '/v1/platforms', 201],
      ['', 'create', '/v1/platforms', 401],
    ],
  );
  const { latencyMs = 0, sourceIp, groups } = rest.audited[earlier] ?? {};
  assert.deepEqual([sourceIp, groups], ['127.0.0.1', ['admins']]);
  assert.ok(latencyMs > 0);
});

test('HEAD is GET without the body', async () => {
  const response = await fetch(`${rest.url}/v1/platforms`, { method: 'HEAD', headers: { authorization: 'operator' } });
  assert.deepEqual([response.status, await response.text()], [200, '']);
});

test('a request that takes too long is given up with 503', async () => {
  const slow = { retryOperation: () => new Promise<never>(() => {}), settings: { requestTimeoutMs: 50 } };
  await using other = await startTestRest(slow);
  const { id } = await seedOperation(other.registry, { spec: { resourceId: 'i' }, status: { state: 'failed' } });
  const answer = await other.ask('POST', `/v1/operations/${id}/retry`);
  assert.deepEqual(
    [answer.status, answer.body['error'], answer.body['description']],
    [503, 'Timeout', 'operation has timed out'],
  );
});

test('work ends when the caller hangs up', async () => {
  const aborted = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  await using other = await startTestRest({
    retryOperation: (_operation, { signal }) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted.resolve();
          reject(new Error('gone'));
        });
        began.resolve();
      }),
  });
  const { id } = await seedOperation(other.registry, { spec: { resourceId: 'i' }, status: { state: 'failed' } });
  const socket = connect(Number(new URL(other.url).port), '127.0.0.1');
  socket.write(
    `POST /v1/operations/${id}/retry HTTP/1.1\r\nhost: x\r\nauthorization: operator\r\ncontent-length: 0\r\n\r\n`,
  );
  await began.promise;
  socket.destroy();
  await aborted.promise;
});

test('an unexpected error shows no details', async () => {
  await using other = await startTestRest({
    retryOperation: () => Promise.reject(new Error('the password is hunter2')),
  });
  const { id } = await seedOperation(other.registry, { spec: { resourceId: 'i' }, status: { state: 'failed' } });
  const answer = await other.ask('POST', `/v1/operations/${id}/retry`);
  assert.deepEqual([answer.status, answer.body['description']], [500, 'Internal server error']);
});
