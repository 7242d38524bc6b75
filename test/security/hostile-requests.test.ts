import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hostileRows, measureRow } from './support/hostile/hostile-rows.ts';
import { type HostileWorld, startHostileWorld } from './support/hostile/hostile-world.ts';

// One thread serves every tenant: whatever one of them sends must cost in proportion to its size, and leave no memory
// behind. `npm run bench -- hostile` shows how long each of these requests holds the thread.

/** Ten times the input may cost so many times the processor time. */
const maxGrowth = 15;
const growth = 10;
/** Less than this is noise of timers, garbage collection and compilation. */
const noiseMs = 6;
/** On a busy machine one measurement says little; what really grows too fast does so every time. */
const maxRounds = 3;
const maxMessageBytes = 1024 * 1024;
const mebibyte = 1024 * 1024;

let world: HostileWorld;
let bytesBefore = 0;

before(async () => {
  world = await startHostileWorld();
  bytesBefore = (await world.collect()).usedBytes;
});
after(() => world?.[Symbol.asyncDispose]());

describe('a hostile request costs no more than its size', () => {
  for (const row of hostileRows) {
    test(row.what, async () => {
      for (const size of [row.size, row.size * growth]) await row.prepare?.(world, size);
      const found: string[] = [];
      for (let round = 1; round <= maxRounds; round++) {
        const small = await measureRow(world, row, row.size, 3);
        const large = await measureRow(world, row, row.size * growth, 2);
        for (const { status, text } of [small, large]) {
          assert.ok(row.codes.includes(status), `${status} ${text.slice(0, 300)}`);
          if (status >= 400) assert.ok(text.length < maxMessageBytes, `a refusal of ${text.length} bytes`);
        }
        if (large.cpuMs <= maxGrowth * Math.max(small.cpuMs, noiseMs)) return;
        found.push(`${small.cpuMs.toFixed(1)} and ${large.cpuMs.toFixed(1)} ms`);
      }
      assert.fail(`${row.size} and ten times as much cost ${found.join('; ')}`);
    });
  }
});

test('nothing of it stays in memory, and the server is well', async () => {
  await world.collect();
  const { usedBytes } = await world.collect();
  const grown = (usedBytes - bytesBefore) / mebibyte;
  assert.ok(grown < 150, `${Math.round(grown)} MiB more are in use`);
  assert.equal((await world.admin.send('/readyz')).status, 200);
  assert.doesNotMatch(world.output(), /failed unexpectedly|Unhandled|FATAL/i);
});
