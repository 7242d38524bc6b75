import assert from 'node:assert/strict';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { lockFolder, openLandscapeKeys } from '@chandlery/platform';
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

test('keys rotate adds a key that replicas can read with before any of them encrypts with it', async () => {
  await using folder = await tempFolder();
  const keys = folder.join('keys');
  const open = () => openLandscapeKeys(keys, { now: new Date() });
  const before = open();
  const old = before.keyring.encrypt(Buffer.from('secret'), 'place');
  const rotate = (...args: readonly string[]) => runCli(['keys', 'rotate', 'keys', ...args], { cwd: folder.path });
  const added = await rotate('--stage', 'add');
  assert.equal(added.code, 0, added.stderr);
  const second = open();
  assert.deepEqual(
    [second.fingerprint, second.keyring.activeKeyId],
    [before.fingerprint, before.keyring.activeKeyId],
    'the landscape would not start with these keys',
  );
  const used = await rotate('--stage', 'use');
  assert.equal(used.stdout.split('\n')[0], `key ${added.stdout.trim().split(/\s/)[2]} encrypts from the next start on`);
  const third = open();
  assert.equal(third.fingerprint, before.fingerprint);
  assert.notEqual(third.keyring.activeKeyId, before.keyring.activeKeyId);
  const written = third.keyring.encrypt(Buffer.from('new'), 'place');
  assert.equal(Buffer.from(second.keyring.decrypt(written, 'place')).toString(), 'new');
  assert.equal(Buffer.from(third.keyring.decrypt(old, 'place')).toString(), 'secret');
  assert.equal((await rotate()).code, 0);
  assert.equal(open().fingerprint, before.fingerprint);
  const unknown = await rotate('--stage', 'half');
  assert.match(unknown.stderr, /--stage is "half"[\s\S]*add, use, both/);
  assert.match((await runCli(['keys', 'rotate', 'nowhere'], { cwd: folder.path })).stderr, /there are no keys/);
});

test('a new key that was never added cannot be put to use', async () => {
  await using folder = await tempFolder();
  openLandscapeKeys(folder.join('keys'), { now: new Date() });
  const { code, stdout, stderr } = await runCli(['keys', 'rotate', 'keys', '--stage', 'use'], { cwd: folder.path });
  assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
  assert.match(stderr, /there is one key only[\s\S]*Next: {2}.*--stage add/);
});

test('a data folder that is named in place of its folder of keys is recognised, and not called damaged', async () => {
  await using folder = await tempFolder();
  openLandscapeKeys(folder.join('data', 'keys'), { now: new Date() });
  await writeFile(folder.join('data', 'ca.crt'), '');
  for (const args of [
    ['rotate', 'data'],
    ['drop', 'data', 'f'.repeat(16), '--yes'],
  ]) {
    const { code, stderr } = await runCli(['keys', ...args], { cwd: folder.path });
    assert.equal(code, 1);
    assert.match(stderr, /is a data folder\n?[\s\S]*Next: {2}Name its keys: data\/keys\./);
  }
});

test('keys rotate and keys drop leave the keys of a running server alone', async () => {
  await using folder = await tempFolder();
  openLandscapeKeys(folder.join('keys'), { now: new Date() });
  const before = await readFile(folder.join('keys', 'encryption.json'), 'utf8');
  await writeFile(folder.join('store.sqlite'), '');
  using _server = lockFolder(folder.path);
  for (const args of [
    ['rotate', 'keys'],
    ['drop', 'keys', 'f'.repeat(16), '--yes'],
  ]) {
    const { code, stderr } = await runCli(['keys', ...args], { cwd: folder.path });
    assert.equal(code, 1);
    assert.match(stderr, /in use by process[\s\S]*Next: {2}Stop[\s\S]*Code: {2}FolderInUse/);
  }
  assert.equal(await readFile(folder.join('keys', 'encryption.json'), 'utf8'), before);
});
