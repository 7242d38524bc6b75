import assert from 'node:assert/strict';
import { chmodSync, mkdtempDisposableSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { permissionWarning, readFileIfPresent, writeFileAtomically } from './private-files.ts';

test('a file is replaced whole, is private, and leaves nothing beside it', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'chandlery-files-'));
  const path = join(folder.path, 'key');
  writeFileAtomically(path, 'one');
  writeFileAtomically(path, 'two');
  assert.equal(readFileSync(path, 'utf8'), 'two');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(folder.path), ['key']);
});

test('a file that is not there is undefined, and a folder in its place is an error', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'chandlery-files-'));
  assert.equal(readFileIfPresent(join(folder.path, 'nothing')), undefined);
  assert.throws(() => readFileIfPresent(folder.path), { code: 'EISDIR' });
});

test('a file that others may read is reported together with the cure', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'chandlery-files-'));
  const path = join(folder.path, 'key');
  writeFileSync(path, 'x', { mode: 0o600 });
  assert.equal(permissionWarning(path), undefined);
  chmodSync(path, 0o644);
  assert.match(permissionWarning(path) ?? '', /mode 0644.*chmod 600/);
});
