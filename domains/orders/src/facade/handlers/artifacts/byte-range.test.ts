import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRange } from './byte-range.ts';

test('ranges of ten bytes', () => {
  const cases: readonly (readonly [header: string | undefined, range: readonly [number, number] | undefined])[] = [
    [undefined, undefined],
    ['bytes=0-4', [0, 4]],
    ['bytes=5-', [5, 9]],
    ['bytes=-3', [7, 9]],
    ['bytes=-30', [0, 9]],
    ['bytes=8-100', [8, 9]],
    ['bytes=4-2', undefined],
    ['bytes=0-1,3-4', undefined],
    ['lines=0-1', undefined],
    ['bytes=-', undefined],
  ];
  for (const [header, range] of cases)
    assert.deepEqual(readRange(header, 10), range && { start: range[0], end: range[1] }, header ?? 'none');
  for (const header of ['bytes=10-', 'bytes=10-12', 'bytes=-0'])
    assert.throws(() => readRange(header, 10), { code: 'Orders:range-not-satisfiable' }, header);
  assert.throws(() => readRange('bytes=0-', 0), { code: 'Orders:range-not-satisfiable' });
});
