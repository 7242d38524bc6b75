import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { realPathInside } from './real-path-inside.ts';

test('a real path is returned only inside its folder', () => {
  const root = mkdtempSync(join(tmpdir(), 'chandlery-inside-'));
  const folder = join(root, 'folder');
  mkdirSync(folder);
  writeFileSync(join(root, 'secret'), '');
  writeFileSync(join(root, 'folder-2'), '');
  writeFileSync(join(folder, 'file'), '');
  symlinkSync('file', join(folder, 'link'));
  symlinkSync('../secret', join(folder, 'out'));
  symlinkSync('..', join(folder, 'up'));
  symlinkSync('../folder-2', join(folder, 'beside'));
  const received = (name: string): string | undefined => realPathInside(folder, join(folder, name));
  assert.equal(received('file'), join(folder, 'file'));
  assert.equal(received('link'), join(folder, 'file'));
  assert.equal(received('.'), folder);
  for (const name of ['out', 'up', 'up/secret', 'beside', 'missing']) assert.equal(received(name), undefined, name);
  rmSync(root, { recursive: true });
});
