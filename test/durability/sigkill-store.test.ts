import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreOptions } from '@chandlery/kernel';
import { longRun, startPostgres, startProcess, tempFolder } from '@chandlery/testing';
import { compileCache } from './support/landscape-client.ts';
import { type Seeded, withSeed } from './support/seeded.ts';
import { type Acknowledged, checkStore, readAcknowledged } from './support/store-check.ts';

const rounds = longRun(40, 6);
const chains = 12;
const worker = join(import.meta.dirname, 'support/store-writer-worker.ts');

interface Work {
  /** Of each object. Default: none to speak of. */
  readonly paddingBytes?: number;
  /** Acknowledged before a process is killed. Default: up to 150. */
  readonly commits?: readonly [fewest: number, most: number];
  /** Inspects the store before and after each process. Default: no inspection. */
  readonly look?: (when: 'before' | 'after') => Promise<void>;
}

/** Kills a process that commits in groups, again and again, and looks at what it left. */
async function killWriters(
  options: StoreOptions,
  random: Seeded,
  { paddingBytes = 0, commits = [1, 150], look }: Work = {},
): Promise<Acknowledged> {
  const known: Acknowledged = { steps: new Map(), highest: 0 };
  // The writers are killed and leave no compiled code behind; what they load, we have loaded.
  flushCompileCache();
  let read = 0;
  for (let round = 1; round <= rounds; round++) {
    await look?.('before');
    const writer = await startProcess(process.execPath, [worker, JSON.stringify({ options, chains, paddingBytes })], {
      ready: /writing/,
      env: compileCache,
    });
    const wanted = random.between(...commits);
    await writer.waitForOutput(output => output.split('\n').length > wanted, 60_000);
    await sleep(random.between(0, 10));
    const end = await writer.kill9();
    assert.equal(end.signal, 'SIGKILL', writer.output());
    await look?.('after');
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

test('so does one that was killed while its log was written back', () =>
  withSeed(async random => {
    await using folder = await tempFolder();
    const options = { type: 'sqlite', folder: folder.join('data') } as const;
    const file = join(options.folder, 'store.sqlite');
    const sizes = { before: 0, after: 0 };
    let writtenBack = 0;
    // Some 30 MB in each round: the log is written back about as often as a process is killed.
    await killWriters(options, random, {
      paddingBytes: 20_000,
      commits: [200, 400],
      look: async when => {
        sizes[when] = existsSync(file) ? (await stat(file)).size : 0;
        if (when === 'after' && sizes.after > sizes.before + 4096) writtenBack++;
      },
    });
    assert.ok(writtenBack > 0, 'no process was killed after its log had been written back');
  }));

test('a PostgreSQL store whose process is killed holds every acknowledged commit, whole', () =>
  withSeed(async random => {
    await using postgres = await startPostgres();
    const { steps, highest } = await killWriters({ type: 'postgres', url: postgres.url }, random);
    assert.equal(steps.size, chains);
    assert.ok(highest > rounds * chains, `only ${highest} revisions were written`);
  }));
