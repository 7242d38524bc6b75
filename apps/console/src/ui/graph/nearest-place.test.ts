import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Direction, nearestPlace } from './nearest-place.ts';

const places = [
  { id: 'root', x: 0, y: 50 },
  { id: 'a', x: 100, y: 0 },
  { id: 'b', x: 100, y: 60 },
  { id: 'c', x: 200, y: 55 },
];
const cases: readonly (readonly [from: string, direction: Direction, to: string | undefined])[] = [
  ['root', 'right', 'b'],
  ['b', 'right', 'c'],
  ['b', 'up', 'a'],
  ['a', 'down', 'b'],
  ['c', 'left', 'b'],
  ['c', 'right', undefined],
  ['gone', 'right', 'root'],
];

for (const [from, direction, to] of cases)
  test(`${direction} of ${from} is ${to ?? 'nothing'}`, () =>
    assert.equal(nearestPlace(places, from, direction)?.id, to));
