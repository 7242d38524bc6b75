import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject } from '@chandlery/api';
import fc from 'fast-check';
import { type FieldSet, isAllOwned, isSameOwned, keepOwned, ownedBy } from './owned-fields.ts';

type Fields = Record<string, unknown>;

/** Everything in a value, lists as a whole. */
function allOf(value: unknown): FieldSet {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [`f:${name}`, allOf(field)]));
}

const names = fc.constantFrom('a', 'b', 'c', 'd');
const leaves = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.array(fc.integer(), { maxLength: 3 }));
const { tree } = fc.letrec<{ tree: Fields; node: unknown }>(tie => ({
  tree: fc.dictionary(names, tie('node'), { minKeys: 1, maxKeys: 3 }),
  node: fc.oneof({ maxDepth: 3 }, leaves, tie('tree')),
}));

/** Adds fields of another manager at every level. */
const withOthers = (value: unknown): unknown =>
  isJsonObject(value)
    ? {
        ...Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withOthers(field)])),
        other: 'theirs',
      }
    : value;

/** The value with one leaf changed. */
function tampered(value: Fields): Fields {
  const [name = '', field] = Object.entries(value)[0] ?? [];
  return { ...value, [name]: isJsonObject(field) ? tampered(field) : [field, 'tampered'] };
}

describe('Owned fields', () => {
  it('cover what they were made of, and do not see what others add', () => {
    fc.assert(
      fc.property(tree, desired => {
        const owned = allOf(desired);
        assert.ok(isAllOwned(desired, owned));
        assert.ok(isSameOwned(desired, withOthers(desired), owned));
        assert.equal(isAllOwned({ ...desired, another: 1 }, owned), false);
      }),
    );
  });

  it('show every change of an owned value', () => {
    fc.assert(
      fc.property(tree, desired => assert.equal(isSameOwned(desired, tampered(desired), allOf(desired)), false)),
    );
  });

  const containers: FieldSet = { 'f:containers': { 'k:{"name":"main"}': { '.': {}, 'f:name': {}, 'f:image': {} } } };
  const ports: FieldSet = { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } } };
  const sets: FieldSet = { 'f:finalizers': { 'v:"x"': {} } };
  const main = { name: 'main', image: 'a' };
  const cases: { why: string; owned: FieldSet; desired: Fields; live: Fields; isSame: boolean }[] = [
    {
      why: 'items of others in a keyed list and their order do not matter',
      owned: containers,
      desired: { containers: [main] },
      live: {
        containers: [
          { name: 'sidecar', image: 'b' },
          { ...main, tty: true },
        ],
      },
      isSame: true,
    },
    {
      why: 'a removed owned item counts',
      owned: containers,
      desired: { containers: [main] },
      live: { containers: [{ name: 'sidecar', image: 'b' }] },
      isSame: false,
    },
    {
      why: 'a key that the server filled in may be missing in the desired object',
      owned: ports,
      desired: { ports: [{ port: 80 }] },
      live: { ports: [{ port: 80, protocol: 'TCP' }] },
      isSame: true,
    },
    {
      why: 'sets are compared by item',
      owned: sets,
      desired: { finalizers: ['x'] },
      live: { finalizers: ['y', 'x'] },
      isSame: true,
    },
    {
      why: 'a removed item of a set counts',
      owned: sets,
      desired: { finalizers: ['x'] },
      live: {},
      isSame: false,
    },
  ];
  for (const { why, owned, desired, live, isSame } of cases) {
    it(`find their way through lists: ${why}`, () => {
      assert.equal(isSameOwned(desired, live, owned), isSame);
      assert.ok(isAllOwned(desired, owned));
    });
  }

  it('are those that a manager applied, not those it updated', () => {
    const entry = { manager: 'me', apiVersion: 'v1', fieldsType: 'FieldsV1' as const };
    const managedFields = [
      { ...entry, operation: 'Update' as const, fieldsV1: { 'f:a': {} } },
      { ...entry, operation: 'Apply' as const, fieldsV1: { 'f:b': {} } },
      { ...entry, manager: 'other', operation: 'Apply' as const, fieldsV1: { 'f:c': {} } },
    ];
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', managedFields } };
    assert.deepEqual(ownedBy('me', object), { 'f:b': {} });
    assert.deepEqual(keepOwned('me')(object).metadata.managedFields, [managedFields[1]]);
    assert.equal(keepOwned('nobody')(object).metadata.managedFields, undefined);
  });
});
