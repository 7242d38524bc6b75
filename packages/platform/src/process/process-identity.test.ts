import assert from 'node:assert/strict';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempFolder } from '@chandlery/testing';
import { claimIdentity } from './process-identity.ts';

test('a process knows the identities of those before it on the same folder', async () => {
  await using folder = await tempFolder();
  const first = claimIdentity(folder.path);
  assert.deepEqual(first.formerIdentities, []);
  const second = claimIdentity(folder.path);
  assert.notEqual(second.identity, first.identity);
  assert.deepEqual(second.formerIdentities, [first.identity]);
  assert.deepEqual(claimIdentity(folder.path).formerIdentities, [second.identity, first.identity]);
});

test('a copy of a folder, whose processes may be alive, has no former identities', async () => {
  await using folder = await tempFolder();
  claimIdentity(folder.join('.'));
  await cp(folder.join('identity.json'), folder.join('copy/identity.json'));
  assert.deepEqual(claimIdentity(folder.join('copy')).formerIdentities, []);
});

test('a file that cannot be read gives no former identities', async () => {
  await using folder = await tempFolder();
  await writeFile(join(folder.path, 'identity.json'), '{"identities": [');
  assert.deepEqual(claimIdentity(folder.path).formerIdentities, []);
});
