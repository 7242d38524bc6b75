import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StructuralSchema } from '@chandlery/api';
import { compileValueValidator } from './validate.ts';

const item: StructuralSchema = {
  type: 'object',
  required: ['port'],
  properties: { name: { type: 'string' }, port: { type: 'integer', maximum: 100 } },
};
const schema: StructuralSchema = {
  type: 'object',
  properties: {
    size: { type: 'string', enum: ['small', 'large'] },
    note: { type: 'string' },
    nested: { type: 'object', required: ['must'], properties: { must: { type: 'string' }, other: { type: 'string' } } },
    labels: { type: 'object', additionalProperties: { type: 'string', maxLength: 3 } },
    map: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'], items: item },
    atomic: { type: 'array', items: item },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    either: { not: { properties: { a: { type: 'string', enum: ['x'] } }, required: ['a'] } },
  },
};
const validate = compileValueValidator(schema);
const fieldsOf = (value: object, live?: object): (string | undefined)[] =>
  validate(value, live).map(({ field }) => field);

const cases: readonly { why: string; live: object; value: object; fields: readonly string[] }[] = [
  {
    why: 'an unchanged invalid value is accepted beside a change',
    live: { size: 'medium', note: 'a' },
    value: { size: 'medium', note: 'b' },
    fields: [],
  },
  { why: 'a changed value is judged', live: { size: 'medium' }, value: { size: 'huge' }, fields: ['size'] },
  { why: 'a new value is judged', live: {}, value: { size: 'huge' }, fields: ['size'] },
  {
    why: 'a missing field of an unchanged object is accepted',
    live: { nested: { other: 'a' }, note: 'a' },
    value: { nested: { other: 'a' }, note: 'b' },
    fields: [],
  },
  {
    why: 'a missing field of a changed object is not',
    live: { nested: { other: 'a' } },
    value: { nested: { other: 'b' } },
    fields: ['nested.must'],
  },
  {
    why: 'values of a map correspond by their keys',
    live: { labels: { a: 'long one', b: 'ok' } },
    value: { labels: { b: 'no', a: 'long one', c: 'long two' } },
    fields: ['labels.c'],
  },
  {
    why: 'items of a list-map correspond by their keys, wherever they are',
    live: { map: [{ name: 'a', port: 900 }] },
    value: {
      map: [
        { name: 'b', port: 901 },
        { name: 'a', port: 900 },
      ],
    },
    fields: ['map[0].port'],
  },
  {
    why: 'a field of a corresponding item is judged by itself',
    live: { map: [{ name: 'a', port: 900 }] },
    value: { map: [{ name: 'a', port: 901 }] },
    fields: ['map[0].port'],
  },
  {
    why: 'items of other lists do not correspond',
    live: { atomic: [{ port: 900 }] },
    value: { atomic: [{ port: 900 }, { port: 1 }] },
    fields: ['atomic[0].port'],
  },
  {
    why: 'a whole list that is unchanged is accepted',
    live: { atomic: [{ port: 900 }], note: 'a' },
    value: { atomic: [{ port: 900 }], note: 'b' },
    fields: [],
  },
  {
    why: 'a set that had duplicates may keep them',
    live: { set: ['a', 'a'], note: 'a' },
    value: { set: ['a', 'a'], note: 'b' },
    fields: [],
  },
  { why: 'a set gets no new duplicates', live: { set: ['a'] }, value: { set: ['a', 'a'] }, fields: ['set[1]'] },
  {
    why: 'alternatives are judged as a whole',
    live: { either: { a: 'y' } },
    value: { either: { a: 'x' } },
    fields: ['either'],
  },
];

describe('a schema that became stricter', () => {
  for (const { why, live, value, fields } of cases)
    test(why, () => {
      assert.deepEqual(fieldsOf(value, live), fields);
    });

  test('finds the changed mistake behind many unchanged ones', () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`k${index}`, 'too long']));
    assert.deepEqual(fieldsOf({ labels: { ...many, z: 'new one' } }, { labels: many }), ['labels.z']);
  });

  test('does not mistake list-map items with separators in their keys for duplicates', () => {
    const check = compileValueValidator({
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['a', 'b'],
      items: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } },
    });
    assert.deepEqual(
      check([
        { a: 'x\n"y', b: 'z' },
        { a: 'x', b: 'y\n"z' },
      ]),
      [],
    );
  });

  test('does not take list-map items with separators in their keys for items that were there before', () => {
    const check = compileValueValidator({
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['a', 'b'],
      items: {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'string' }, port: { type: 'integer', maximum: 100 } },
      },
    });
    for (const separator of ['\n', ',', '/', '|', ' ', '\0', '","']) {
      const live = [{ a: 'x', b: `y${separator}z`, port: 900 }];
      const value = [{ a: `x${separator}y`, b: 'z', port: 900 }];
      assert.deepEqual(
        check(value, live).map(({ field }) => field),
        ['[0].port'],
        JSON.stringify(separator),
      );
    }
  });
});
