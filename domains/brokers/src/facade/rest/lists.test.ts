import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { seedOperation, seedPlatform } from '../../test-registry.ts';
import { type Answer, startTestRest, type TestRest } from './test-rest.ts';

let rest: TestRest;
before(async () => {
  rest = await startTestRest();
  for (let number = 1; number <= 7; number++) {
    const labels = { parity: [number % 2 === 0 ? 'even' : 'odd'], 'my key.with:chars': [`v${number}`] };
    const spec = { name: `name-${number}`, type: number < 4 ? 'small' : 'large', labels };
    await seedPlatform(rest.registry, { id: `id-${number}`, spec, status: { agentVersion: `1.${number}` } });
  }
});
after(() => rest[Symbol.asyncDispose]());

const idsOf = ({ body }: Answer) => (body['items'] as { id: string }[]).map(({ id }) => id.slice(3)).join('');
const list = (query: Record<string, string>, as = 'operator') =>
  rest.ask('GET', `/v1/platforms?${new URLSearchParams(query)}`, { as });

const queries: readonly [query: Record<string, string>, ids: string][] = [
  [{}, '1234567'],
  [{ fieldQuery: "name eq 'name-3'" }, '3'],
  [{ fieldQuery: "name in ('name-5','name-2', 'nobody')" }, '25'],
  [{ fieldQuery: "id in ('id-7','id-1')" }, '17'],
  [{ fieldQuery: "id eq 'id-1' and name eq 'name-2'" }, ''],
  [{ fieldQuery: "type ne 'small'" }, '4567'],
  [{ fieldQuery: "type eq 'small'", labelQuery: "parity eq 'odd'" }, '13'],
  [{ labelQuery: "parity notin ('odd')" }, '246'],
  [{ labelQuery: "missing ne 'x'" }, '1234567'],
  [{ labelQuery: "missing eq 'x'" }, ''],
  [{ labelQuery: "'my key.with:chars' in ('v1','v6')" }, '16'],
  [{ fieldQuery: "version eq '1.5'" }, '5'],
  [{ fieldQuery: 'ready eq true and created_at gt 2020-01-01T00:00:00Z' }, '1234567'],
];
for (const [query, ids] of queries) {
  test(`${JSON.stringify(query)} finds "${ids}"`, async () => {
    const answer = await list(query);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.equal(idsOf(answer), ids);
    assert.equal(answer.body['num_items'], ids.length);
  });
}

test('two queries of a kind must both hold', async () => {
  const path = "/v1/platforms?fieldQuery=type eq 'small'&fieldQuery=name ne 'name-1'";
  assert.equal(idsOf(await rest.ask('GET', path)), '23');
});

const rejected: readonly [query: Record<string, string>, error: string][] = [
  [{ fieldQuery: "nothing eq 'x'" }, 'BadRequest'],
  [{ fieldQuery: 'name eq x' }, 'BadRequest'],
  [{ labelQuery: "a eq 'x' and a eq 'y'" }, 'BadRequest'],
  [{ max_items: '-1' }, 'InvalidMaxItems'],
  [{ max_items: 'many' }, 'InvalidMaxItems'],
  [{ token: '%%%' }, 'TokenInvalid'],
  [{ token: 'MTI' }, 'TokenInvalid'],
];
for (const [query, error] of rejected) {
  test(`${JSON.stringify(query)} is rejected with ${error}`, async () => {
    const answer = await list(query);
    assert.deepEqual([answer.status, answer.body['error']], [400, error]);
  });
}

test('hidden fields can be asked for by operators only', async () => {
  const answer = await list({ fieldQuery: "version eq '1.5'" }, 'user list@a,get@a');
  assert.deepEqual([answer.status, answer.body['description']], [400, 'unsupported field query key: version']);
});

test('max_items 0 only counts', async () => {
  assert.deepEqual((await list({ max_items: '0', fieldQuery: "type eq 'large'" })).body, { num_items: 4 });
});

test('max_items is lowered silently', async () => {
  assert.equal(idsOf(await list({ max_items: '100000' })), '1234567');
});

const filters: readonly Record<string, string>[] = [
  {},
  { fieldQuery: "id notin ('id-4')" },
  { fieldQuery: "id in ('id-1','id-2','id-3','id-5')" },
];
for (const filter of filters) {
  test(`pages of ${JSON.stringify(filter)} follow each other by the Link header`, async () => {
    const whole = idsOf(await list({ ...filter }));
    const first = await list({ ...filter, max_items: '3' });
    let found = idsOf(first);
    let page: Answer = first;
    while (page.body['token'] !== undefined) {
      assert.ok(found.length < whole.length, 'the list does not end');
      const [, next = ''] = /^<(.*)>; rel="next"$/.exec(page.headers.get('link') ?? '') ?? [];
      assert.ok(next.includes(`token=${page.body['token'] as string}`));
      page = await rest.ask('GET', next);
      assert.equal(page.body['num_items'], whole.length);
      found += idsOf(page);
    }
    assert.equal(found, whole);
    assert.equal(page.headers.get('link'), null);
  });
}

test('a list continues although the row of its token was deleted', async () => {
  await seedPlatform(rest.registry, { id: 'id-8', spec: { name: 'name-8', type: 'brief' } });
  await seedPlatform(rest.registry, { id: 'id-9', spec: { name: 'name-9', type: 'brief' } });
  const first = await list({ fieldQuery: "type eq 'brief'", max_items: '1' });
  await rest.ask('DELETE', '/v1/platforms/id-8');
  const next = await list({ fieldQuery: "type eq 'brief'", token: first.body['token'] as string });
  assert.equal(idsOf(next), '9');
  await rest.ask('DELETE', '/v1/platforms/id-9');
});

test('last operations are attached when asked for', async () => {
  const spec = { resourceId: 'id-1', resourceType: '/v1/platforms' };
  const { id } = await seedOperation(rest.registry, { spec, status: { state: 'succeeded' } });
  const query = { fieldQuery: "id eq 'id-1'" };
  const operationOf = ({ body }: Answer) => (body['items'] as { last_operation?: { id: string } }[])[0]?.last_operation;
  assert.equal(operationOf(await list(query)), undefined);
  assert.equal(operationOf(await list({ ...query, attach_last_operations: 'true' }))?.id, id);
  assert.equal(((await rest.ask('GET', '/v1/platforms/id-1')).body['last_operation'] as { id: string }).id, id);
});
