import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { assertError, itemsOf, withQuery } from '../support/http.ts';
import { outcome } from '../support/outcomes.ts';
import { openShop, provision, registerPlatform, type Shop } from '../support/shop.ts';
import type { Stage } from '../support/stage.ts';

const path = '/v1/platforms';

/** Section 7: field and label queries. */
export function queries(stage: Stage): void {
  describe('queries', () => {
    fields(stage);
    labels(stage);
    grammar(stage);
    documents(stage);
  });
}

/** Names of the platforms that a request finds, without what makes them unique. */
const finder = (stage: Stage) => async (query: Readonly<Record<string, string>>) => {
  const answer = await stage.get(withQuery(path, { max_items: '200', ...query }));
  assert.equal(answer.status, 200, answer.text);
  return itemsOf(answer).map(({ description }) => description);
};

function fields(stage: Stage): void {
  const type = 'queried';
  const find = finder(stage);
  let second = '';
  before(async () => {
    for (const [description, more] of [
      ["it's one", { suspended: false }],
      ['two 100%', { suspended: true }],
      ['back\\slash', {}],
    ] as const) {
      const { id } = await registerPlatform(stage, { type, description, ...more });
      if (description === 'two 100%') second = String((await stage.get(`${path}/${id}`)).body['created_at']);
    }
    await registerPlatform(stage, { type: 'other', description: 'two 100%' });
  });
  const [one, two, three] = ["it's one", 'two 100%', 'back\\slash'];
  const all = [one, two, three];
  const cases: readonly [query: string, expected: readonly unknown[]][] = [
    ["type eq 'queried'", all],
    ["type eq 'queried' and description eq 'two 100%'", [two]],
    ["type eq 'queried' and description ne 'two 100%'", [one, three]],
    ["type eq 'queried' and description eq 'it''s one'", [one]],
    ["type eq 'queried' and description eq 'it\\'s one'", [one]],
    ["type eq 'queried' and description eq 'back\\\\slash'", [three]],
    ["type eq 'queried' and description in ('two 100%','it''s one')", [one, two]],
    ["type eq 'queried' and description in ('two 100%', 'nothing')", [two]],
    ["type eq 'queried' and description notin ('two 100%')", [one, three]],
    ["type eq 'queried' and description in ()", []],
    ["type in ('queried','queried')", all],
    ["type eq 'queried' and type ne 'x'", all],
    ["type eq 'queried' and suspended eq true", [two]],
    ["type eq 'queried' and suspended eq false", [one, three]],
    ["type eq 'queried' and ready eq true", all],
    ["type eq 'queried' and description contains 'one'", [one]],
    ["type eq 'queried' and description contains '%'", [two]],
    ["type eq 'queried' and description contains '_'", []],
    ["type eq 'queried' and version en '1'", all],
    ["type eq 'queried' and version eq '1'", []],
    ["type eq 'queried' and active eq false", all],
    ["type eq 'queried' and credentials_active eq false", all],
    ["type eq 'nothing'", []],
  ];
  for (const [query, expected] of cases)
    test(`fields: ${query}`, async () => assert.deepEqual(await find({ fieldQuery: query }), expected));
  for (const [operator, expected] of [
    ['gt', [three]],
    ['ge', [two, three]],
    ['lt', [one]],
    ['le', [one, two]],
    ['eq', [two]],
  ] as const)
    test(`times: ${operator}`, async () => {
      assert.deepEqual(await find({ fieldQuery: `type eq 'queried' and created_at ${operator} ${second}` }), expected);
    });
  test('a time may have another zone', async () => {
    const shifted = second.replace(
      /T(\d\d)/,
      (_, hour: string) => `T${String((Number(hour) + 1) % 24).padStart(2, '0')}`,
    );
    const day = shifted.replace('Z', '+01:00');
    if (!second.includes('T23'))
      assert.deepEqual(await find({ fieldQuery: `type eq 'queried' and created_at eq ${day}` }), [two]);
  });
  test('several queries all count', async () => {
    const answer = await stage.get(
      `${withQuery(path, { fieldQuery: "type eq 'queried'" })}&${withQuery('', { fieldQuery: 'suspended eq true' }).slice(1)}`,
    );
    assert.deepEqual(
      itemsOf(answer).map(({ description }) => description),
      [two],
    );
  });
}

function labels(stage: Stage): void {
  const find = finder(stage);
  const key = 'q-label';
  before(async () => {
    await registerPlatform(stage, { description: 'both', labels: { [key]: ['a', 'b'], 'q-all': ['1'] } });
    await registerPlatform(stage, {
      description: 'a',
      labels: { [key]: ['a'], 'q-all': ['1'], 'dots.and:colons': ['x'] },
    });
    await registerPlatform(stage, { description: 'c', labels: { [key]: ['c', '100%'], 'q-all': ['1'], and: ['7'] } });
    await registerPlatform(stage, { description: 'none', labels: { 'q-all': ['1'] } });
  });
  const cases: readonly [query: string, expected: readonly string[], why?: string][] = [
    [`${key} eq 'a'`, ['both', 'a']],
    [`${key} in ('b','c')`, ['both', 'c']],
    [`${key} in ('a','b')`, ['both', 'a']],
    [`${key} contains '%'`, ['c']],
    [`${key} contains 'a'`, ['both', 'a']],
    [`q-all eq '1' and ${key} eq 'b'`, ['both']],
    [`q-all eq '1' and ${key} ne 'a'`, ['c', 'none'], 'deviation: negation looks at all values, also at none'],
    [`q-all eq '1' and ${key} notin ('a','c')`, ['none'], 'deviation: negation looks at all values, also at none'],
    [`q-all eq '1' and ${key} en 'b'`, ['both', 'none'], 'deviation: en is for labels too'],
    ["no-such-label eq 'x'", []],
    ["'dots.and:colons' eq 'x'", ['a'], 'deviation: any key can be quoted'],
    ["q-all eq '1' and 'and' eq '7'", ['c'], 'deviation: any key can be quoted'],
  ];
  for (const [query, expected, why] of cases)
    test(`labels: ${query}${why === undefined ? '' : ` (${why})`}`, async () =>
      assert.deepEqual(await find({ labelQuery: query }), expected));
  test('fields and labels together', async () => {
    assert.deepEqual(await find({ labelQuery: "q-all eq '1'", fieldQuery: "description in ('a','c')" }), ['a', 'c']);
    assert.deepEqual(await find({ labelQuery: "q-label eq 'a'", fieldQuery: "description eq 'c'" }), []);
  });
}

function grammar(stage: Stage): void {
  const bad: readonly [why: string, name: 'fieldQuery' | 'labelQuery', query: string][] = [
    ['an unknown field', 'fieldQuery', "nothing eq 'x'"],
    ['a path into a text', 'fieldQuery', "name/x eq 'x'"],
    ['an unknown operator', 'fieldQuery', "name like 'x'"],
    ['missing quotes', 'fieldQuery', 'name eq x'],
    ['an open quote', 'fieldQuery', "name eq 'x"],
    ['two blanks', 'fieldQuery', "name  eq 'x'"],
    ['a tab', 'fieldQuery', "name\teq 'x'"],
    ['a newline in a value', 'fieldQuery', "name eq 'a\nb'"],
    ['no value', 'fieldQuery', 'name eq '],
    ['no list', 'fieldQuery', "name in 'x'"],
    ['a list for one value', 'fieldQuery', "name eq ('x','y')"],
    ['an open list', 'fieldQuery', "name in ('x'"],
    ['an end after "and"', 'fieldQuery', "name eq 'x' and "],
    ['another word between', 'fieldQuery', "name eq 'x' or type eq 'y'"],
    ['an order of texts', 'fieldQuery', "name gt 'a'"],
    ['a time that is none', 'fieldQuery', 'created_at gt 2024-13-01T00:00:00Z'],
    ['a time compared with a text', 'fieldQuery', "created_at eq 'yesterday'"],
    ['contains on a time', 'fieldQuery', "created_at contains '2024'"],
    ['the key "and"', 'labelQuery', "and eq 'x'"],
    ['a key with a dot, unquoted', 'labelQuery', "a.b eq 'x'"],
    ['a label twice', 'labelQuery', "a eq 'x' and a eq 'y'"],
    ['an order of texts of labels', 'labelQuery', "a gt 'x'"],
  ];
  for (const [why, name, query] of bad)
    outcome(stage, `GET ${path} 400 BadRequest`, `${name} refuses ${why}`, async () =>
      assertError(await stage.get(withQuery(path, { [name]: query })), 400, 'BadRequest'),
    );
  test('an unknown field is named', async () =>
    assertError(
      await stage.get(withQuery('/v1/service_plans', { fieldQuery: "colour eq 'x'" })),
      400,
      'BadRequest',
      /unsupported field query key: colour/,
    ));
  test('internal fields are for operators (deviation: platforms cannot ask for them)', async () => {
    const { login: as } = await registerPlatform(stage);
    for (const field of ['username', 'active', 'last_active', 'version', 'technical', 'credentials_active'])
      assertError(await stage.get(withQuery(path, { fieldQuery: `${field} en '1'` }), { as }), 400, 'BadRequest');
  });
}

function documents(stage: Stage): void {
  let shop: Shop;
  let instance: string;
  let name: string;
  before(async () => {
    shop = await openShop(stage);
    name = stage.name('queried-instance');
    instance = await provision(stage, shop.plan('database/sync'), { name });
  });
  const idsOf = async (list: string, fieldQuery: string) =>
    itemsOf(await stage.get(withQuery(list, { fieldQuery }))).map(({ id }) => id);

  test('documents are asked by a path', async () => {
    assert.deepEqual(await idsOf('/v1/service_instances', `context/instance_name eq '${name}'`), [instance]);
    assert.deepEqual(await idsOf('/v1/service_instances', "context/instance_name eq 'nothing'"), []);
    const found = await idsOf(
      '/v1/service_offerings',
      `metadata/vendorField/kept eq true and broker_id eq '${shop.id}'`,
    );
    assert.deepEqual(found, [shop.offerings['database']]);
  });
  test('numbers are compared as numbers', async () => {
    const query = `service_offering_id eq '${shop.offerings['database']}' and maximum_polling_duration`;
    assert.deepEqual(await idsOf('/v1/service_plans', `${query} ge 70`), [shop.plan('database/async')]);
    assert.deepEqual(await idsOf('/v1/service_plans', `${query} eq 600`), [shop.plan('database/async')]);
  });
  test('what is not set is found by en and ne only', async () => {
    const query = `id eq '${instance}' and referenced_instance_id`;
    assert.deepEqual(await idsOf('/v1/service_instances', `${query} en 'x'`), [instance]);
    assert.deepEqual(await idsOf('/v1/service_instances', `${query} eq 'x'`), []);
  });
}
