import assert from 'node:assert/strict';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isError } from '@chandlery/api';
import { startTestLandscape } from '@chandlery/testing';
import { clientOf, configMaps, named } from './support/landscape-client.ts';
import { runCli } from './support/run-cli.ts';

const mapOf = (name: string, text: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { text },
});

test('a log that is cut after a kill is reported as a loss, until the operator accepts it', async () => {
  await using landscape = await startTestLandscape();
  await using client = clientOf(landscape, 'onboarding');
  const objects = 100;
  for (let no = 0; no < objects; no++) await client.create(configMaps, mapOf(`map-${no}`, 'x'.repeat(500)));
  await landscape.kill9();
  const log = join(landscape.dataDir, 'store.sqlite-wal');
  await truncate(log, Math.floor((await readFile(log)).length * 0.6));
  const left = await readFile(log);

  const found = await runCli('store', 'verify', '--data-dir', landscape.dataDir);
  assert.equal(found.code, 1, found.stderr);
  assert.match(found.stdout, /^log +the write-ahead log is damaged: \d+ of \d+ acknowledged frames can be read$/m);
  assert.match(found.stdout, /^lost +the acknowledged writes of revisions \d+ to \d+ are lost$/m);

  await landscape.restart();
  assert.deepEqual(await readFile(`${log}-damaged`), left, 'the damaged log is kept for the investigation');
  const ready = await landscape.request('/readyz');
  assert.equal(ready.status, 503);
  assert.match(ready.text, /\[-\]store-integrity failed: the acknowledged writes of revisions \d+ to \d+ are lost/);
  assert.match((await landscape.request('/metrics')).text, /^chandlery_store_damage\{kind="lost"\} 1$/m);
  const { items } = await client.list(configMaps);
  assert.ok(items.length < objects);
  // What is left is served, and new writes take revisions that were never given out.
  await client.create(configMaps, mapOf('after', 'x'));
  const refused = await runCli('store', 'verify', '--data-dir', landscape.dataDir);
  assert.match(refused.stderr, /is in use by/);

  await landscape.stop();
  assert.equal((await runCli('store', 'verify', '--accept', '--data-dir', landscape.dataDir)).code, 0);
  assert.equal((await runCli('store', 'verify', '--data-dir', landscape.dataDir)).code, 0);
  await landscape.restart();
  assert.equal((await landscape.request('/readyz')).status, 200);
});

test('a flipped byte of a stored object makes that object fail by name, and nothing else', async () => {
  await using landscape = await startTestLandscape();
  await using client = clientOf(landscape, 'onboarding');
  const text = 'a text that is found in the file';
  await client.create(configMaps, mapOf('damaged', text));
  await client.create(configMaps, mapOf('sound', 'another'));
  await landscape.stop();
  const path = join(landscape.dataDir, 'store.sqlite');
  const bytes = await readFile(path);
  const place = bytes.indexOf(text);
  bytes[place] = (bytes[place] ?? 0) ^ 0x80;
  await writeFile(path, bytes);

  const found = await runCli('store', 'verify', '--data-dir', landscape.dataDir);
  assert.equal(found.code, 1);
  assert.match(found.stdout, /^row +the stored object onboarding\|\/configmaps\|default\|damaged is damaged/m);

  await landscape.restart();
  const isNamed = (error: unknown): boolean =>
    isError(error, 'InternalError') && error.message.includes('onboarding|/configmaps|default|damaged');
  await assert.rejects(client.get(named(configMaps, 'damaged')), isNamed);
  await assert.rejects(client.list(configMaps), isNamed);
  assert.equal((await client.get(named(configMaps, 'sound'))).metadata.name, 'sound');
  const ready = await landscape.request('/readyz?verbose');
  assert.equal(ready.status, 200);
  assert.match(ready.text, /\[\+\]store-integrity ok: .*onboarding\|\/configmaps\|default\|damaged/);
  assert.match((await landscape.request('/metrics')).text, /^chandlery_store_damage\{kind="row"\} [1-9]/m);
});
