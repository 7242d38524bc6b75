import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isError } from '@chandlery/api';
import fc from 'fast-check';
import type { FieldPath } from './field-path.ts';
import {
  equalFields,
  fieldSet,
  fromFieldsV1,
  hasField,
  intersectFields,
  leafPaths,
  memberPaths,
  subtractFields,
  toFieldsV1,
  unionFields,
} from './field-set.ts';

const element = fc.constantFrom('f:a', 'f:b', 'f:c', 'k:{"name":"x"}', 'v:1', 'i:0');
const paths: fc.Arbitrary<FieldPath[]> = fc.array(fc.array(element, { minLength: 1, maxLength: 4 }), { maxLength: 12 });
const keys = (list: Iterable<FieldPath>): string[] => [...new Set([...list].map(path => path.join('\n')))].sort();

describe('FieldSet', () => {
  it('holds exactly the paths it was made of', () => {
    fc.assert(
      fc.property(paths, list => {
        const set = fieldSet(...list);
        assert.deepEqual(keys(memberPaths(set)), keys(list));
        for (const path of list) {
          assert.ok(hasField(set, path));
          const isPrefix = list.some(other => other.join('\n') === path.slice(0, -1).join('\n'));
          assert.equal(hasField(set, path.slice(0, -1)), isPrefix);
        }
      }),
    );
  });

  it('behaves as sets of paths do', () => {
    fc.assert(
      fc.property(paths, paths, (left, right) => {
        const [a, b] = [fieldSet(...left), fieldSet(...right)];
        const inRight = new Set(keys(right));
        assert.deepEqual(keys(memberPaths(unionFields(a, b))), keys([...left, ...right]));
        assert.deepEqual(
          keys(memberPaths(intersectFields(a, b))),
          keys(left).filter(key => inRight.has(key)),
        );
        assert.deepEqual(
          keys(memberPaths(subtractFields(a, b))),
          keys(left).filter(key => !inRight.has(key)),
        );
        assert.ok(equalFields(unionFields(a, b), unionFields(b, a)));
        assert.ok(equalFields(intersectFields(a, b), intersectFields(b, a)));
        assert.ok(equalFields(unionFields(subtractFields(a, b), intersectFields(a, b)), a));
        assert.equal(equalFields(a, b), JSON.stringify(keys(left)) === JSON.stringify(keys(right)));
      }),
    );
  });

  it('returns the set itself when an operation changes nothing', () => {
    fc.assert(
      fc.property(paths, paths, (left, right) => {
        const [a, b] = [fieldSet(...left), fieldSet(...right)];
        assert.equal(unionFields(a, intersectFields(a, b)), a);
        const rest = subtractFields(a, b);
        assert.equal(subtractFields(rest, b), rest);
      }),
    );
  });

  it('survives being written and read', () => {
    fc.assert(
      fc.property(paths, list => {
        const set = fieldSet(...list);
        const stored = toFieldsV1(set);
        assert.ok(equalFields(fromFieldsV1(JSON.parse(JSON.stringify(stored))), set));
        assert.equal(JSON.stringify(toFieldsV1(fieldSet(...[...list].reverse()))), JSON.stringify(stored));
      }),
    );
  });

  it('writes FieldsV1 in canonical order', () => {
    const set = fieldSet(['f:b'], ['f:a', 'k:{"n":10}', 'f:x'], ['f:a', 'k:{"n":9}'], ['f:a'], ['f:a', 'v:1']);
    const expected = '{"f:a":{".":{},"k:{\\"n\\":9}":{},"k:{\\"n\\":10}":{"f:x":{}},"v:1":{}},"f:b":{}}';
    assert.equal(JSON.stringify(toFieldsV1(set)), expected);
  });

  it('lists leaves without the paths that lead to them', () => {
    const set = fieldSet(['f:a'], ['f:a', 'f:b'], ['f:c']);
    assert.deepEqual([...leafPaths(set)], [['f:a', 'f:b'], ['f:c']]);
  });

  it('reads what other writers left: unknown elements, spelling, a member mark at the root', () => {
    const read = fromFieldsV1({
      '.': {},
      'x:new': {},
      'k:{"b":1, "a":2}': { '.': {} },
      'k:{"a":2,"b":1}': { 'f:c': {} },
    });
    assert.deepEqual(read, { 'k:{"a":2,"b":1}': { '.': {}, 'f:c': {} } });
  });

  for (const bad of [null, [], 'f:a', { spec: {} }, { 'f:a': 1 }, { 'k:1': {} }]) {
    it(`rejects ${JSON.stringify(bad)}`, () => {
      assert.throws(
        () => fromFieldsV1(bad),
        error => isError(error, 'BadRequest'),
      );
    });
  }
});
