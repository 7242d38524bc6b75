import assert from 'node:assert/strict';
import { test } from 'node:test';
import { longRun } from '@chandlery/testing';
import type { Answer } from './support/caller.ts';
import type { HostileRow } from './support/hostile/hostile-row.ts';
import { hostileRows } from './support/hostile/hostile-rows.ts';
import { type HostileWorld, startHostileWorld } from './support/hostile/hostile-world.ts';

// Half an hour of hostile requests under CHANDLERY_TEST_LONG=1, twenty seconds otherwise.

const soakMs = longRun(30 * 60_000, 20_000);
const growth = longRun(10, 1);
const mebibyte = 1024 * 1024;
/** What caches may take that fill over time. */
const maxGrownBytes = 100 * mebibyte;

/** Sends every row once, several at a time; fails for an answer that blames the server. */
async function sendAll(world: HostileWorld, rows: readonly HostileRow[]): Promise<void> {
  const waiting = [...rows];
  const sendNext = async (): Promise<void> => {
    for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
      const { status, text } = await sendTwice(world, row);
      assert.ok(row.codes.includes(status), `${row.what}: ${status} ${text.slice(0, 300)}`);
    }
  };
  await Promise.all([sendNext(), sendNext(), sendNext()]);
}

/** A request whose head is too long costs its connection, and another may just have been sent on it: it is sent again. */
async function sendTwice(world: HostileWorld, row: HostileRow): Promise<Answer> {
  try {
    return await row.send(world, row.size * growth);
  } catch (error) {
    if ((error as { code?: string }).code !== 'UND_ERR_SOCKET') throw error;
    return await row.send(world, row.size * growth);
  }
}

async function memoryInUse(world: HostileWorld): Promise<number> {
  // What one collection lets go of may hold more that only the next one finds.
  await world.collect();
  await world.collect();
  return (await world.collect()).usedBytes;
}

test('a tenant who never stops leaves the memory as it was, and no error', async () => {
  await using world = await startHostileWorld();
  for (const row of hostileRows) await row.prepare?.(world, row.size * growth);
  await sendAll(world, hostileRows);
  const before = await memoryInUse(world);
  const end = Date.now() + soakMs;
  let rounds = 0;
  do {
    await sendAll(world, hostileRows);
    rounds++;
  } while (Date.now() < end);
  const grown = (await memoryInUse(world)) - before;
  assert.ok(grown < maxGrownBytes, `${Math.round(grown / mebibyte)} MiB more are in use after ${rounds} rounds`);
  assert.equal((await world.admin.send('/readyz')).status, 200);
  assert.doesNotMatch(world.output(), /failed unexpectedly|Unhandled|FATAL/i);
});
