import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parseJson } from '@chandlery/api';
import { startTestLandscape, type TestLandscape } from '@chandlery/testing';
import fc from 'fast-check';

// Kubernetes decodes integers as int64. Whatever a client sends must come back digit by digit, in every way in which an
// object can be written and read.

let landscape: TestLandscape;
const boats = '/clusters/numbers/apis/example.org/v1/namespaces/default/boats';

before(async () => {
  landscape = await startTestLandscape();
  await landscape.createCluster('numbers');
  const answer = await landscape.request('/clusters/numbers/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    body: definition,
  });
  assert.equal(answer.status, 201, answer.text);
});
after(() => landscape?.[Symbol.asyncDispose]());

const integer = { type: 'integer', format: 'int64' };
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'boats.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural: 'boats', kind: 'Boat' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [{ name: 'Wide', type: 'integer', jsonPath: '.spec.wide' }],
        selectableFields: [{ jsonPath: '.spec.wide' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                'x-kubernetes-validations': [{ rule: '!has(self.wide) || self.wide == int(string(self.wide))' }],
                properties: {
                  wide: integer,
                  small: { type: 'integer', format: 'int32' },
                  real: { type: 'number' },
                  set: { type: 'array', items: integer, 'x-kubernetes-list-type': 'set' },
                  any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
            },
          },
        },
      },
    ],
  },
};

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const specs = fc.record({
  wide: int64,
  real: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), int64),
  set: fc.uniqueArray(int64, { maxLength: 5 }),
  any: fc.dictionary(fc.string({ minLength: 1 }), fc.oneof(int64, fc.string(), fc.array(int64, { maxLength: 3 })), {
    maxKeys: 4,
  }),
});

let count = 0;
/** The text of a boat; JSON itself writes bigints with all their digits here. */
const boat = (name: string, spec: unknown): string =>
  JSON.stringify({ apiVersion: 'example.org/v1', kind: 'Boat', metadata: { name, namespace: 'default' }, spec });

/** As JSON would read it: `-0` and the like in the form in which they are written. */
const written = (value: unknown): unknown => parseJson(JSON.stringify(value));

async function send(path: string, method: string, body: string, type = 'application/json'): Promise<unknown> {
  const answer = await landscape.request(path, { method, body, headers: { 'content-type': type } });
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
  return (parseJson(answer.text) as { spec: unknown }).spec;
}

describe('integers of int64', () => {
  test('come back as they were sent by create, update, patches and apply', async () => {
    const property = fc.asyncProperty(specs, specs, async (first, second) => {
      const name = `boat-${++count}`;
      const path = `${boats}/${name}`;
      assert.deepEqual(await send(boats, 'POST', boat(name, first)), written(first), 'create');
      const merge = JSON.stringify({ spec: second });
      const merged = { ...first, ...second, any: { ...first.any, ...second.any } };
      assert.deepEqual(
        await send(path, 'PATCH', merge, 'application/merge-patch+json'),
        written(merged),
        'merge patch',
      );
      const operations = [
        { op: 'test', path: '/spec/wide', value: second.wide },
        { op: 'replace', path: '/spec', value: first },
      ];
      const patch = JSON.stringify(operations);
      assert.deepEqual(await send(path, 'PATCH', patch, 'application/json-patch+json'), written(first), 'JSON patch');
      const read = await landscape.request(path);
      assert.deepEqual((parseJson(read.text) as { spec: unknown }).spec, written(first), 'get');
      const applied = await send(
        `${path}-applied?fieldManager=me`,
        'PATCH',
        boat(`${name}-applied`, second),
        'application/apply-patch+yaml',
      );
      assert.deepEqual(applied, written(second), 'apply');
    });
    await fc.assert(property, { numRuns: 25 });
  });

  test('are the same in a watch, a list, a table and a field selector', async () => {
    const max = '9223372036854775807';
    await send(
      boats,
      'POST',
      `{"apiVersion":"example.org/v1","kind":"Boat","metadata":{"name":"max"},"spec":{"wide":${max}}}`,
    );
    const selector = `fieldSelector=${encodeURIComponent(`spec.wide=${max}`)}`;
    const list = await landscape.request(`${boats}?${selector}`);
    assert.match(list.text, /"name":"max".*"wide":9223372036854775807/);
    const watch = await landscape.request(`${boats}?watch=1&${selector}&timeoutSeconds=1`);
    assert.match(watch.text, /"type":"ADDED".*"wide":9223372036854775807/);
    const table = await landscape.request(`${boats}?${selector}`, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    });
    assert.match(table.text, /"cells":\["max",9223372036854775807/);
  });

  test('are exact in YAML, too', async () => {
    const spec = await send(
      boats,
      'POST',
      'apiVersion: example.org/v1\nkind: Boat\nmetadata: {name: yaml}\nspec:\n  wide: -9223372036854775808\n  set: [9007199254740993]\n',
      'application/yaml',
    );
    assert.deepEqual(spec, { wide: -(2n ** 63n), set: [9007199254740993n] });
  });

  const refused: readonly { what: string; spec: string; code: number; type?: string }[] = [
    { what: 'a number that no double holds', spec: '{"real":1e400}', code: 400 },
    { what: 'a negative number that no double holds', spec: '{"any":{"a":[-1e400]}}', code: 400 },
    { what: 'an integer of 400 digits', spec: `{"real":${'9'.repeat(400)}}`, code: 400 },
    { what: 'infinity in YAML', spec: '{real: .inf}', code: 400, type: 'application/yaml' },
    { what: 'negative infinity in YAML', spec: '{any: {a: -.inf}}', code: 400, type: 'application/yaml' },
    { what: 'no number in YAML', spec: '{real: .nan}', code: 400, type: 'application/yaml' },
    { what: '1e400 in YAML', spec: '{real: 1e400}', code: 400, type: 'application/yaml' },
    { what: 'an integer beyond int64 where one is wanted', spec: '{"wide":9223372036854775808}', code: 422 },
    { what: 'an integer beyond int32 where one is wanted', spec: '{"small":9223372036854775807}', code: 422 },
    { what: 'the same wide integer twice in a set', spec: '{"set":[9007199254740993,9007199254740993]}', code: 422 },
  ];
  for (const { what, spec, code, type = 'application/json' } of refused) {
    test(`do not hide ${what}`, async () => {
      const isJson = type === 'application/json';
      const body = isJson
        ? `{"apiVersion":"example.org/v1","kind":"Boat","metadata":{"name":"refused"},"spec":${spec}}`
        : `apiVersion: example.org/v1\nkind: Boat\nmetadata: {name: refused}\nspec: ${spec}\n`;
      const answer = await landscape.request(boats, { method: 'POST', body, headers: { 'content-type': type } });
      assert.equal(answer.status, code, answer.text);
    });
  }

  test('that differ by one are different items of a set', async () => {
    const spec = '{"set":[9007199254740993,9007199254740992,9007199254740994]}';
    const body = `{"apiVersion":"example.org/v1","kind":"Boat","metadata":{"name":"neighbours"},"spec":${spec}}`;
    assert.equal(JSON.stringify(await send(boats, 'POST', body)), spec);
  });

  test('beyond int64 become doubles, as in Kubernetes', async () => {
    const body =
      '{"apiVersion":"example.org/v1","kind":"Boat","metadata":{"name":"beyond"},"spec":{"real":18446744073709551615}}';
    assert.deepEqual(await send(boats, 'POST', body), { real: 2 ** 64 });
  });
});
