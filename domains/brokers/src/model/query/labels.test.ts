import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '@chandlery/api';
import { applyLabelChanges, parseLabels } from './labels.ts';

const changes: readonly [why: string, change: JsonValue[], after: object][] = [
  ['add makes a key', [{ op: 'add', key: 'k', values: ['v'] }], { env: ['dev', 'prod'], k: ['v'] }],
  ['add without values adds the empty one', [{ op: 'add', key: 'k' }], { env: ['dev', 'prod'], k: [''] }],
  ['add extends a key', [{ op: 'add', key: 'env', values: ['qa', 'dev'] }], { env: ['dev', 'prod', 'qa'] }],
  ['add_values extends a key', [{ op: 'add_values', key: 'env', values: ['qa'] }], { env: ['dev', 'prod', 'qa'] }],
  ['remove drops a key', [{ op: 'remove', key: 'env', values: ['dev'] }], {}],
  ['remove of a missing key changes nothing', [{ op: 'remove', key: 'k' }], { env: ['dev', 'prod'] }],
  ['remove_values drops values', [{ op: 'remove_values', key: 'env', values: ['dev', 'x'] }], { env: ['prod'] }],
  ['the key goes with its last value', [{ op: 'remove_values', key: 'env', values: ['prod', 'dev'] }], {}],
  [
    'changes apply in order',
    [
      { op: 'remove', key: 'env' },
      { op: 'add', key: 'env', values: ['new'] },
    ],
    { env: ['new'] },
  ],
];

for (const [why, change, after] of changes) {
  test(why, () => assert.deepEqual(applyLabelChanges({ env: ['dev', 'prod'] }, change), after));
}

const rejected: readonly [why: string, change: JsonValue, message: RegExp][] = [
  ['an unknown operation', [{ op: 'replace', key: 'k', values: ['v'] }], /unknown label operation "replace"/],
  ['no operation', [{ key: 'k' }], /needs an "op"/],
  ['no key', [{ op: 'add', values: ['v'] }], /needs a "key"/],
  ['no values to add', [{ op: 'add_values', key: 'k' }], /needs "values"/],
  ['no values to remove', [{ op: 'remove_values', key: 'k', values: [] }], /needs "values"/],
  ['a blank in a key', [{ op: 'add', key: 'a b' }], /neither blanks nor newlines/],
  ['a newline in a value', [{ op: 'add', key: 'k', values: ['a\nb'] }], /newline/],
  ['a number as a value', [{ op: 'add', key: 'k', values: [1] }], /no string/],
  ['a map in place of changes', { k: ['v'] }, /list of changes/],
  ['a protected key', [{ op: 'remove', key: 'tenant' }], /protected/],
];

for (const [why, change, message] of rejected) {
  test(`${why} is rejected in changes`, () => assert.throws(() => applyLabelChanges({}, change, ['tenant']), message));
}

test('labels of a new resource are checked and values collapse', () => {
  assert.deepEqual(parseLabels({ a: ['x', 'x', 'y'], none: [] }), { a: ['x', 'y'] });
  assert.deepEqual(parseLabels(undefined), {});
  assert.throws(() => parseLabels([{ op: 'add', key: 'a' }]), /must be an object/);
  assert.throws(() => parseLabels({ tenant: ['x'] }, ['tenant']), /protected/);
  assert.throws(() => parseLabels({ a: ['x'.repeat(256)] }), /longer than 255/);
  assert.throws(() => parseLabels({ '': ['x'] }), /may not be empty/);
});
