import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RowChange } from '@chandlery/registry';
import type { InstanceRow } from '../registry/fleet-registry.ts';
import { manyRows, turnsDuring } from '../test-many-rows.ts';
import type { FacadeTables } from './handlers/facade-deps.ts';
import { listInstances, readListQuery } from './handlers/lists/list-instances.ts';
import { NameOrder } from './handlers/lists/name-order.ts';
import type { FleetBody } from './test-body.ts';
import { adminToken, base, startTestFacade, type TestFacade } from './test-facade.ts';

let facade: TestFacade;
before(async () => {
  facade = await startTestFacade();
  for (const [at, name] of ['delta', 'alpha', 'charlie', 'bravo', 'echo'].entries())
    await facade.addInstance(name, { spec: { owner: at % 2 === 0 ? 'zoe' : 'yan' } });
  await facade.addInstance('alpha', { spec: { organisation: 'other', owner: 'otto' } });
});
after(() => facade[Symbol.asyncDispose]());

const list = (query: string) => facade.ask('GET', `${base}/dinosaurs?${query}`);
const namesOf = (body: Pick<FleetBody, 'items'>): readonly string[] => body.items.map(({ name }) => name);

test('lists are ordered by name and divided into pages', async () => {
  assert.deepEqual(namesOf((await list('')).body), ['alpha', 'bravo', 'charlie', 'delta', 'echo']);
  const { body } = await list('page=2&size=2');
  assert.deepEqual(namesOf(body), ['charlie', 'delta']);
  assert.deepEqual([body.page, body.size, body.total], [2, 2, 5]);
  const last = (await list('page=3&size=2')).body;
  assert.deepEqual([last.size, last.total, namesOf(last)], [1, 5, ['echo']]);
  assert.deepEqual(namesOf((await list('page=9')).body), []);
  assert.deepEqual(namesOf((await list('page=0&size=2')).body), ['alpha', 'bravo']);
  assert.deepEqual(namesOf((await list('page=x&size=2')).body), ['alpha', 'bravo'], 'what is no number is 0');
  assert.equal((await list('size=-1')).body.total, 5);
});

test('bad paging and orders are rejected with code 17, bad searches with 23', async () => {
  const cases = {
    'size=0': 17,
    'size=x': 17,
    'page=-1': 17,
    'orderBy=garden': 17,
    'orderBy=name%20up': 17,
    'search=name': 23,
    'search=name%20%3D%20%00': 23,
  };
  for (const [query, code] of Object.entries(cases)) {
    const { status, body } = await list(query);
    assert.deepEqual([status, body.id], [400, String(code)], query);
  }
});

test('every field of orderBy is accepted, href and version among them', async () => {
  for (const field of ['host', 'href', 'version', 'multi_az', 'created_at', 'organisation_id'])
    assert.equal((await list(`orderBy=${field}%20desc`)).status, 200, field);
  assert.deepEqual(namesOf((await list('orderBy=owner,name%20desc')).body), [
    'bravo',
    'alpha',
    'echo',
    'delta',
    'charlie',
  ]);
});

test('a search cannot leave the organisation', async () => {
  const { body } = await list(`search=${encodeURIComponent('name = alpha or owner = otto')}`);
  assert.deepEqual([body.total, body.items[0]?.owner], [1, 'yan']);
});

test('the admin list has the instances of all organisations, in the kept order and in any other', async () => {
  const admin = (query: string) => facade.ask('GET', `${base}/admin/dinosaurs?${query}`, { token: adminToken });
  const plain = (await admin('')).body;
  assert.equal(plain.kind, 'DinosaurList');
  assert.deepEqual(namesOf(plain), ['alpha', 'alpha', 'bravo', 'charlie', 'delta', 'echo']);
  assert.deepEqual(namesOf((await admin('page=2&size=4')).body), ['delta', 'echo']);
  assert.deepEqual(namesOf((await admin('orderBy=name%20desc&size=2')).body), ['echo', 'delta']);
  const { id } = await facade.addInstance('zulu', { spec: { organisation: 'other' } });
  assert.equal(namesOf((await admin('')).body).at(-1), 'zulu');
  const row = facade.registry.instances.get(id) as InstanceRow;
  await facade.registry.commit([{ type: 'remove', table: 'instances', row }]);
  assert.equal(namesOf((await admin('')).body).at(-1), 'echo');
  assert.equal((await admin('search=owner%20%3D%20otto')).body.total, 1);
});

test('listing 100,000 instances lets others work in between', async () => {
  const rows = manyRows(100_000);
  const query = readListQuery(
    new URLSearchParams({ orderBy: 'owner desc, name', search: "name like '%1%'", size: '10' }),
  );
  const turns = await turnsDuring(async () => assert.ok((await listInstances(rows, query)).total > 10_000));
  assert.ok(turns >= 5, `others had ${turns} turns`);
});

test('the kept order of 100,000 instances is built in steps, and misses no change meanwhile', async () => {
  const rows = manyRows(100_000);
  const [first, second] = rows as [InstanceRow, InstanceRow];
  const listeners: ((change: RowChange<InstanceRow>) => void)[] = [];
  const instances = {
    all: () => rows,
    listen: (listener: (change: RowChange<InstanceRow>) => void) => {
      listeners.push(listener);
      return () => undefined;
    },
  } as unknown as FacadeTables['instances'];
  let turns = 0;
  const others = setInterval(() => turns++, 1);
  const opening = NameOrder.open({ instances });
  const renamed = { ...first, spec: { ...first.spec, name: 'a' } };
  for (const notify of listeners) notify({ type: 'changed', row: renamed, previous: first });
  await sleep(1);
  for (const notify of listeners) notify({ type: 'removed', row: second, previous: second });
  using order = await opening;
  clearInterval(others);
  const kept = order.of('dinosaurs');
  assert.equal(kept.size, 99_999);
  assert.deepEqual(
    kept.slice(0, 3).map(({ spec }) => spec.name),
    ['a', 'name-1', 'name-10'],
  );
  assert.ok(turns >= 5, `others had ${turns} turns`);
});
