import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject, StructuralSchema } from '@chandlery/api';
import { parametersSchema } from './parameters-schema.ts';

const $schema = 'http://json-schema.org/draft-07/schema#';

describe('The schema of parameters', () => {
  const table: { why: string; spec: StructuralSchema; plan?: JsonObject; wanted: JsonObject }[] = [
    {
      why: 'extensions and what JSON Schema does not know are left out',
      spec: {
        type: 'object',
        'x-kubernetes-validations': [{ rule: 'true' }],
        properties: { a: { type: 'array', 'x-kubernetes-list-type': 'set', example: 1, items: { type: 'string' } } },
      },
      wanted: {
        type: 'object',
        additionalProperties: false,
        properties: { a: { type: 'array', items: { type: 'string' } } },
      },
    },
    {
      why: 'what has a default need not be given',
      spec: {
        type: 'object',
        required: ['a', 'b'],
        properties: { a: { type: 'string' }, b: { type: 'integer', default: 1 } },
      },
      wanted: {
        type: 'object',
        required: ['a'],
        additionalProperties: false,
        properties: { a: { type: 'string' }, b: { type: 'integer', default: 1 } },
      },
    },
    {
      why: 'what the plan says is the default, also further down',
      spec: {
        type: 'object',
        required: ['a', 'b'],
        properties: {
          a: { type: 'string', default: 'x' },
          b: { type: 'object', required: ['c', 'd'], properties: { c: { type: 'string' }, d: { type: 'string' } } },
        },
      },
      plan: { a: 'y', b: { c: 'z' } },
      wanted: {
        type: 'object',
        required: ['b'],
        additionalProperties: false,
        properties: {
          a: { type: 'string', default: 'y' },
          b: {
            type: 'object',
            required: ['d'],
            additionalProperties: false,
            properties: { c: { type: 'string', default: 'z' }, d: { type: 'string' } },
          },
        },
      },
    },
    {
      why: 'exclusive limits are numbers',
      spec: { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 9 },
      wanted: { type: 'number', exclusiveMinimum: 1, maximum: 9 },
    },
    { why: 'null is a type', spec: { type: 'string', nullable: true }, wanted: { type: ['string', 'null'] } },
    {
      why: 'a number or a text',
      spec: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      wanted: { type: ['integer', 'string'], anyOf: [{ type: 'integer' }, { type: 'string' }] },
    },
    {
      why: 'what is open stays open',
      spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } } },
      wanted: { type: 'object', properties: { a: { type: 'string' } } },
    },
    {
      why: 'maps have values of a type',
      spec: { type: 'object', additionalProperties: { type: 'string', nullable: true } },
      wanted: { type: 'object', additionalProperties: { type: ['string', 'null'] } },
    },
    {
      why: 'alternatives are not closed',
      spec: {
        type: 'object',
        properties: { a: { type: 'string' } },
        oneOf: [{ required: ['a'] }],
        not: { required: ['b'] },
      },
      wanted: {
        type: 'object',
        additionalProperties: false,
        properties: { a: { type: 'string' } },
        oneOf: [{ required: ['a'] }],
        not: { required: ['b'] },
      },
    },
  ];
  for (const { why, spec, plan = {}, wanted } of table)
    it(why, () => assert.deepEqual(parametersSchema(spec, plan), { $schema, ...wanted }));

  it('has no descriptions when it is too large, and is none when that does not help', () => {
    const withFields = (count: number, description: string): StructuralSchema => ({
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: count }, (_, i) => [i === 0 ? 'description' : `f${i}`, { type: 'string', description }]),
      ),
    });
    const short = parametersSchema(withFields(100, 'x'.repeat(1000)), {});
    assert.deepEqual((short?.['properties'] as JsonObject)['description'], { type: 'string' });
    assert.ok(JSON.stringify(short).length < 65_536);
    assert.equal(parametersSchema(withFields(5000, ''), {}), undefined);
    assert.equal(parametersSchema(undefined, {}), undefined);
  });
});
