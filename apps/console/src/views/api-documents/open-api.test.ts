import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flattened, type OpenApi, operationsOf, typeText } from './open-api.ts';

const document: OpenApi = {
  paths: {
    '/a/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true }],
      get: { summary: 'Get it', tags: ['A'], parameters: [{ $ref: '#/components/parameters/Page' }] },
      put: {
        description: 'Replaces it\nwith another',
        requestBody: { content: { '*/*': { schema: { $ref: '#/components/schemas/Thing' } } } },
        responses: { '200': { $ref: '#/components/responses/Done' }, '404': { $ref: '#/components/responses/None' } },
      },
    },
  },
  components: {
    parameters: { Page: { name: 'page', in: 'query' } },
    responses: { Done: { description: 'It is done' } },
    schemas: {
      Base: { properties: { id: { type: 'string' } } },
      Thing: { allOf: [{ $ref: '#/components/schemas/Base' }], properties: { size: { type: 'integer' } } },
      Loop: { $ref: '#/components/schemas/Loop' } as never,
    },
  },
};

test('operations have the parameters of their path, and what references refer to', () => {
  const [get, put] = operationsOf(document);
  assert.deepEqual(
    get?.parameters.map(({ name }) => name),
    ['id', 'page'],
  );
  assert.deepEqual([put?.tag, put?.summary, put?.body?.mediaType], ['Other', 'Replaces it', 'application/json']);
  assert.deepEqual(
    put?.responses.map(({ status, description }) => [status, description]),
    [
      ['200', 'It is done'],
      ['404', ''],
    ],
  );
});

test('a schema has the properties of those that it consists of', () => {
  const thing = flattened(document, { $ref: '#/components/schemas/Thing' });
  assert.deepEqual(Object.keys(thing?.properties ?? {}), ['id', 'size']);
});

test('references that lead nowhere or in a circle are anything', () => {
  for (const name of ['Loop', 'Missing'])
    assert.equal(typeText(document, { $ref: `#/components/schemas/${name}` }), 'anything');
  assert.equal(typeText(document, { $ref: 'https://elsewhere.example/schema.json' }), 'anything');
});

test('types are words', () => {
  const cases: readonly [schema: object, text: string][] = [
    [{ type: 'string', format: 'date-time' }, 'string (date-time)'],
    [{ type: 'array', items: { type: 'integer' } }, 'list of integer'],
    [{ enum: ['a', 1] }, '"a" | 1'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'map of string'],
    [{ $ref: '#/components/schemas/Thing' }, 'Thing'],
  ];
  for (const [schema, text] of cases) assert.equal(typeText(document, schema), text);
});
