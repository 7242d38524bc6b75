import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProcess, startProcess, tempFolder } from '@chandlery/testing';

const chandlery = join(import.meta.dirname, '../../apps/cli/bin/chandlery.mjs');

/** What each step shows, in order. */
const story = [
  /^\$ npx chandlery up --data-dir /m,
  /running and ready/,
  /^\$ npx chandlery provider install /m,
  /serviceprovider\/postgres installed/,
  /^\$ kubectl .*apply -f .*database\.yaml/m,
  /^ready \(\d+ s\)/m,
  /PostgresDatabase\/shop .*ready/,
  /^\$ npx chandlery order create hello/m,
  /^Hello, Ann!$/m,
  /Stopping the landscape/,
];

test('the demonstration plays every step, and leaves nothing', async () => {
  await using folder = await tempFolder();
  const env = { TMPDIR: folder.path };
  const { code, stdout, stderr } = await runProcess(process.execPath, [chandlery, 'demo', '--once'], {
    cwd: folder.path,
    env,
    timeoutMs: 300_000,
  });
  assert.equal(code, 0, stdout + stderr);
  const places = story.map(pattern => stdout.search(pattern));
  assert.ok(!places.includes(-1), `${places.join(' ')}\n${stdout}`);
  assert.deepEqual(
    places,
    places.toSorted((one, other) => one - other),
  );
  assert.deepEqual(await readdir(folder.path), []);
});

test('the demonstration is ended by Ctrl-C at any time', async () => {
  await using folder = await tempFolder();
  await using demo = await startProcess(process.execPath, [chandlery, 'demo'], {
    cwd: folder.path,
    env: { TMPDIR: folder.path },
    ready: /^\$ npx chandlery provider install/m,
    readyTimeoutMs: 120_000,
  });
  demo.signal('SIGINT');
  assert.deepEqual(await demo.ended, { code: 0, signal: null });
  assert.deepEqual(await readdir(folder.path), []);
});
