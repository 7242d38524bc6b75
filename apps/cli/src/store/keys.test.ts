import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { test } from 'node:test';
import { openLandscapeKeys } from '@chandlery/platform';
import { tempFolder } from '@chandlery/testing';
import { runCli } from '../test-cli.ts';

test('keys create makes a whole set that a landscape takes, once', async () => {
  await using folder = await tempFolder();
  const made = await runCli(['keys', 'create', 'keys'], { cwd: folder.path });
  assert.equal(made.code, 0, made.stderr);
  const files = await readdir(folder.join('keys'));
  assert.deepEqual(files.sort(), ['admin.token', 'ca.crt', 'ca.key', 'encryption.json', 'service-account.key']);
  for (const file of files) assert.equal((await stat(folder.join('keys', file))).mode & 0o777, 0o600, file);
  assert.match(await readFile(folder.join('keys', 'admin.token'), 'utf8'), /^[\w-]{32,}\n$/);
  const keys = openLandscapeKeys(folder.join('keys'), { now: new Date() });
  assert.deepEqual([keys.isNew, keys.warnings], [false, []]);
  const again = await runCli(['keys', 'create', 'keys'], { cwd: folder.path });
  assert.equal(again.code, 1);
  assert.match(again.stderr, /is not empty[\s\S]*Keys are never replaced/);
});
