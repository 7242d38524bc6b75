import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempDisposableSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFolder } from './make-folder.ts';

const temporaryFolder = () => mkdtempDisposableSync(join(tmpdir(), 'chandlery-folder-'));

test('a folder is made together with those above it, all of them private, and may be there already', () => {
  using place = temporaryFolder();
  const folder = join(place.path, 'a', 'b', 'c');
  makeFolder(folder, 0o700);
  makeFolder(folder, 0o755);
  for (const made of [join(place.path, 'a'), folder]) assert.equal(statSync(made).mode & 0o777, 0o700);
});

test('a folder that is linked to is a folder', () => {
  using place = temporaryFolder();
  symlinkSync(place.path, join(place.path, 'link'));
  makeFolder(join(place.path, 'link', 'a'), 0o700);
  assert.ok(statSync(join(place.path, 'a')).isDirectory());
});

const refusals: readonly { readonly why: string; readonly path: string; readonly message: RegExp }[] = [
  { why: 'a file', path: 'file', message: /file is not a folder$/ },
  { why: 'below a file', path: 'file/a', message: /file is not a folder$/ },
  { why: 'far below a file', path: 'file/a/b', message: /file is not a folder$/ },
  { why: 'a link to nothing', path: 'dangling', message: /dangling is a link to something that is not there$/ },
  { why: 'below a link to nothing', path: 'dangling/a', message: /dangling is a link to something/ },
  { why: 'below a link to itself', path: 'circle/a', message: /ELOOP/ },
  { why: 'a name that is too long', path: 'x'.repeat(5_000), message: /ENAMETOOLONG/ },
];
for (const { why, path, message } of refusals) {
  test(`what cannot be a folder is rejected with a reason: ${why}`, () => {
    using place = temporaryFolder();
    writeFileSync(join(place.path, 'file'), '');
    symlinkSync(join(place.path, 'nowhere'), join(place.path, 'dangling'));
    symlinkSync('circle', join(place.path, 'circle'));
    assert.throws(() => makeFolder(join(place.path, path), 0o700), { message });
  });
}

test('no folder at all is rejected with a reason', () => {
  assert.throws(() => makeFolder('', 0o700), { message: /nothing can be made/ });
});

// In a process of its own, because the bug would keep this one busy forever.
const onLinux = { skip: process.platform !== 'linux' };
test('a place that takes no folders is rejected rather than tried forever', onLinux, () => {
  for (const path of ['/proc/x', '/proc/x/y']) {
    const script = `const { makeFolder } = await import(${JSON.stringify(import.meta.resolve('./make-folder.ts'))});
      try { makeFolder('${path}', 0o700); } catch ({ message }) { console.log(message); }`;
    const options = { encoding: 'utf8', timeout: 20_000 } as const;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], options);
    assert.equal(stdout, 'nothing can be made in /proc\n');
  }
});
