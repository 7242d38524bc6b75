import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { type ManyInstances, startManyInstances } from './support/many-instances.ts';
import { countOf, readAll, readPage } from './support/pages.ts';
import { instanceId, tierOf } from './support/seed-landscape.ts';

const instances = 8_000;
const platformCount = 20;
const numbers = Array.from({ length: instances }, (_, number) => number);
let world: ManyInstances;

before(async () => {
  world = await startManyInstances({ platforms: platformCount, instances, bindingEvery: 10, isRecording: true });
});
after(() => world?.[Symbol.asyncDispose]());

const queries: readonly {
  readonly field?: () => string;
  readonly label?: string;
  readonly holds: (number: number) => boolean;
}[] = [
  { holds: () => true },
  { field: () => `platform_id eq '${world.platforms[3]?.id}'`, holds: n => n % platformCount === 3 },
  {
    field: () => `platform_id in ('${world.platforms[3]?.id}','${world.platforms[4]?.id}')`,
    holds: n => [3, 4].includes(n % platformCount),
  },
  { field: () => `service_plan_id eq '${world.planIds[1]}'`, holds: n => n % 2 === 1 },
  { field: () => "name eq 'database-777'", holds: n => n === 777 },
  { field: () => "name contains '777'", holds: n => String(n).includes('777') },
  { field: () => "context/namespace eq 'n-7' and ready eq true", holds: n => n % 100 === 7 },
  { field: () => `id in ('${instanceId(1)}','${instanceId(19_999)}','none')`, holds: n => [1, 19_999].includes(n) },
  { label: "tier eq 'gold'", holds: n => tierOf(n) === 'gold' },
  {
    label: "tier in ('gold','lead') and owner eq 'team-3'",
    holds: n => ['gold', 'lead'].includes(tierOf(n)) && n % 1000 === 3,
  },
  { label: "tier ne 'gold'", holds: n => tierOf(n) !== 'gold' },
  { label: "owner contains 'team-99'", holds: n => `team-${n % 1000}`.includes('team-99') },
  {
    field: () => `platform_id eq '${world.platforms[3]?.id}' and name ne 'database-3'`,
    label: "tier notin ('gold','silver')",
    holds: n => n % platformCount === 3 && n !== 3 && !['gold', 'silver'].includes(tierOf(n)),
  },
];
for (const { field, label, holds } of queries) {
  test(`among ${instances} instances ${field?.toString().slice(6) ?? ''} ${label ?? ''} finds what it should, in order`, async () => {
    const query = { ...(field && { fieldQuery: field() }), ...(label === undefined ? {} : { labelQuery: label }) };
    const expected = numbers.filter(holds).map(instanceId);
    const page = await readPage(world.landscape, 'service_instances', { ...query, max_items: '200' });
    assert.deepEqual(
      page.items?.map(({ id }) => id),
      expected.slice(0, 200),
    );
    assert.equal(page.num_items, expected.length);
    assert.equal(page.token !== undefined, expected.length > 200);
    assert.equal(await countOf(world.landscape, 'service_instances', query), expected.length);
  });
}

test('a platform sees its own part alone, bindings too', async () => {
  const { headers } = world.platforms[0] ?? assert.fail();
  for (const [type, count] of [
    ['service_instances', instances / platformCount],
    ['service_bindings', instances / platformCount],
  ] as const) {
    const answer = await world.landscape.request(`/v1/${type}?max_items=200`, { token: null, headers });
    const { num_items, items } = answer.json<{ num_items: number; items: { id: string }[] }>();
    assert.equal(num_items, count, type);
    const ownNumbers = items.map(({ id }) => Number(id.split('-')[1]));
    assert.ok(
      ownNumbers.every(number => number % platformCount === 0),
      type,
    );
  }
});

/** Creates, changes and deletes instances until stopped; returns their ids. */
function disturb(from: number) {
  const state = { isOver: false };
  const { landscape, platforms, brokerId } = world;
  const headers = platforms[from % platformCount]?.headers ?? {};
  const made: string[] = [];
  const deleted: string[] = [];
  const osb = (id: string) => `/v1/osb/${brokerId}/v2/service_instances/${id}`;
  const run = async (): Promise<void> => {
    for (let round = 0; !state.isOver; round++) {
      const id = `new-${from}-${round}`;
      const body = { service_id: 'database-id', plan_id: 'database-sync', organization_guid: 'o', space_guid: 's' };
      const provisioned = await landscape.request(osb(id), { method: 'PUT', token: null, headers, body });
      assert.equal(provisioned.status, 201, provisioned.text);
      made.push(id);
      const number = from + platformCount * (2 * round + 11);
      const labels = [{ op: 'add', key: 'seen', values: [String(round)] }];
      const changed = instanceId(number + 10 * platformCount * platformCount);
      const patched = await landscape.request(`/v1/service_instances/${changed}`, {
        method: 'PATCH',
        body: { labels },
      });
      assert.equal(patched.status, 200, patched.text);
      const doomed = instanceId(number);
      const [service, plan] = number % 2 === 0 ? ['database-id', 'database-sync'] : ['queue-id', 'queue-sync'];
      const path = `${osb(doomed)}?service_id=${service}&plan_id=${plan}`;
      const gone = await landscape.request(path, { method: 'DELETE', token: null, headers });
      assert.ok([200, 410].includes(gone.status), gone.text);
      deleted.push(doomed);
    }
  };
  const running = run();
  return {
    async stop() {
      state.isOver = true;
      await running;
      return { made, deleted };
    },
  };
}

test('paging to the end under concurrent writes shows what was there all the time, each once and in order', async () => {
  const { landscape, platforms } = world;
  const disturbers = [1, 3].map(disturb);
  const everything = await readAll(landscape, 'service_instances', {});
  const filtered = await readAll(landscape, 'service_instances', {
    fieldQuery: `platform_id eq '${platforms[3]?.id}'`,
  });
  const labelled = await readAll(landscape, 'service_instances', { labelQuery: "tier eq 'lead'" });
  const done = await Promise.all(disturbers.map(disturber => disturber.stop()));
  const deleted = new Set(done.flatMap(each => each.deleted));
  const made = new Set(done.flatMap(each => each.made));
  assert.ok(deleted.size > 3 && made.size > 3, 'there were writes meanwhile');
  const lists = [
    { seen: everything, expected: numbers },
    { seen: filtered, expected: numbers.filter(n => n % platformCount === 3) },
    { seen: labelled, expected: numbers.filter(n => tierOf(n) === 'lead') },
  ];
  for (const { seen, expected } of lists) {
    assert.equal(new Set(seen).size, seen.length, 'nothing twice');
    const steady = expected.map(instanceId).filter(id => !deleted.has(id));
    assert.deepEqual(
      seen.filter(id => !deleted.has(id) && !made.has(id)),
      steady,
    );
    assert.ok(seen.every(id => made.has(id) || id.startsWith('instance-')));
  }
  assert.equal(await countOf(landscape, 'service_instances'), instances - deleted.size + made.size);
});

test("the cascade of a platform deletes each of its instances and bindings at the broker, and nobody else's", async () => {
  const { landscape, platforms, broker } = world;
  const { id } = platforms[0] ?? assert.fail();
  const before = await countOf(landscape, 'service_instances');
  broker.forgetRequests();
  const accepted = await landscape.request(`/v1/platforms/${id}?cascade=true`, { method: 'DELETE' });
  assert.equal(accepted.status, 202, accepted.text);
  const location = accepted.headers.get('location') ?? assert.fail();
  const again = await landscape.request(`/v1/platforms/${id}?cascade=true`, { method: 'DELETE' });
  assert.equal(again.headers.get('location'), location, 'the same cascade');
  const ended = await eventually(
    async () => {
      const operation = (await landscape.request(location)).json<{ state: string }>();
      return ['succeeded', 'failed'].includes(operation.state) && operation;
    },
    { timeoutMs: 120_000, what: 'the end of the cascade' },
  );
  assert.equal(ended.state, 'succeeded', JSON.stringify(ended));
  const own = numbers.filter(number => number % platformCount === 0);
  const deletions = broker.requests
    .filter(({ method }) => method === 'DELETE')
    .map(({ url }) => url.split('?')[0] ?? '');
  const instancesGone = own.map(number => `/v2/service_instances/${instanceId(number)}`);
  const bindingsGone = own.map(
    number => `/v2/service_instances/${instanceId(number)}/service_bindings/binding-${number}`,
  );
  assert.deepEqual(deletions.sort(), [...instancesGone, ...bindingsGone].sort());
  assert.equal(await countOf(landscape, 'service_instances'), before - own.length);
  assert.equal(await countOf(landscape, 'service_instances', { fieldQuery: `platform_id eq '${id}'` }), 0);
  assert.equal(await countOf(landscape, 'service_bindings'), instances / 10 - own.length);
  assert.equal((await landscape.request(`/v1/platforms/${id}`)).status, 404);
});

test('after the plug was pulled everything is there again', async () => {
  const { landscape } = world;
  const [before, bindings] = [
    await countOf(landscape, 'service_instances'),
    await countOf(landscape, 'service_bindings'),
  ];
  await landscape.kill9();
  await landscape.restart();
  assert.equal(await countOf(landscape, 'service_instances'), before);
  assert.equal(await countOf(landscape, 'service_bindings'), bindings);
});
