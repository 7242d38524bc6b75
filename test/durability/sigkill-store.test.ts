import assert from 'node:assert/strict';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreOptions } from '@chandlery/kernel';
import { longRun, startPostgres, startProcess, tempFolder } from '@chandlery/testing';
import { compileCache } from './support/landscape-client.ts';
import { type Seeded, withSeed } from './support/seeded.ts';
import { type Acknowledged, checkStore, readAcknowledged } from './support/store-check.ts';

const rounds = longRun(40, 8);
const chains = 12;
const worker = join(import.meta.dirname, 'support/store-writer-worker.ts');

/** Kills a process that commits in groups, again and again, and looks at what it left. */
async function killWriters(options: StoreOptions, random: Seeded): Promise<Acknowledged> {
  const known: Acknowledged = { steps: new Map(), highest: 0 };
  // The writers are killed and leave no compiled code behind; what they load, we have loaded.
  flushCompileCache();
  let read = 0;
  for (let round = 1; round <= rounds; round++) {
    const writer = await startProcess(process.execPath, [worker, JSON.stringify({ options, chains })], {
      ready: /writing/,
      env: compileCache,
    });
    const wanted = random.between(1, 150);
    await writer.waitForOutput(output => output.split('\n').length > wanted, 60_000);
    await sleep(random.between(0, 10));
    const end = await writer.kill9();
    assert.equal(end.signal, 'SIGKILL', writer.output());
    readAcknowledged(writer.stdout(), known);
    read = await checkStore(options, known, read);
  }
  return known;
}

test('a SQLite store whose process is killed holds every acknowledged commit, whole', () =>
  withSeed(async random => {
    await using folder = await tempFolder();
    const { steps, highest } = await killWriters({ type: 'sqlite', folder: folder.join('data') }, random);
    assert.equal(steps.size, chains);
    assert.ok(highest > rounds * chains, `only ${highest} revisions were written`);
  }));

test('a PostgreSQL store whose process is killed holds every acknowledged commit, whole', () =>
  withSeed(async random => {
    await using postgres = await startPostgres();
    const { steps, highest } = await killWriters({ type: 'postgres', url: postgres.url }, random);
    assert.equal(steps.size, chains);
    assert.ok(highest > rounds * chains, `only ${highest} revisions were written`);
  }));
