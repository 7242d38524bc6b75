import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { put, write } from '../../contract/helpers.ts';
import { databaseFile } from '../open-database.ts';
import { openSqliteStore } from '../sqlite-store.ts';
import { Progress } from './progress.ts';
import { storeFiles } from './store-files.ts';
import { verifyFiles } from './verify-files.ts';

test('the verification of a large file reports its progress', async context => {
  const folder = await mkdtemp(join(tmpdir(), 'chandlery-verify-'));
  context.after(() => rm(folder, { recursive: true }));
  {
    await using store = await openSqliteStore({ folder });
    for (let no = 0; no < 4; no++) await write(store, put(`n/${no}`, { text: 'x'.repeat(1_000_000) }));
  }
  const received: number[] = [];
  const { damage } = verifyFiles(storeFiles(join(folder, databaseFile)), pages => received.push(pages));
  assert.deepEqual(damage, []);
  assert.deepEqual(received.slice(0, 3), [256, 512, 768]);
});

test('progress is visible in shared memory', () => {
  const here = new Progress();
  new Progress(here.buffer).set(7);
  assert.equal(here.pages, 7);
});
