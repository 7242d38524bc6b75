import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '@chandlery/platform';
import fc from 'fast-check';
import { createFleetIds } from './fleet-ids.ts';

const start = new Date('2026-01-01T00:00:00Z');

test('ids have 20 characters of base32hex and rise, even when the clock goes back', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -5000, max: 5000 }), { maxLength: 200 }), steps => {
      const clock = new ManualClock(start);
      const newId = createFleetIds(clock);
      let previous = newId();
      for (const step of steps) {
        clock.advance(step);
        const id = newId();
        assert.match(id, /^[0-9a-v]{20}$/);
        assert.ok(id > previous, `${id} after ${previous}`);
        previous = id;
      }
    }),
  );
});

test('ids of several generators are unique and ordered by the second', () => {
  const clock = new ManualClock(start);
  const generators = Array.from({ length: 20 }, () => createFleetIds(clock));
  const early = generators.flatMap(newId => Array.from({ length: 500 }, newId));
  clock.advance(1000);
  const late = generators.map(newId => newId());
  assert.equal(new Set([...early, ...late]).size, 20 * 501);
  assert.ok(early.every(id => id < (late.toSorted()[0] ?? '')));
});

test('an id tells the second', () => {
  const id = createFleetIds(new ManualClock(start))();
  const bits = id.split('').reduce((sum, char) => (sum << 5n) | BigInt(Number.parseInt(char, 32)), 0n);
  assert.equal(Number(bits >> 68n), start.getTime() / 1000);
});
