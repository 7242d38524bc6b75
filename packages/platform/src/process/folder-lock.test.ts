import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { lockFolder } from './folder-lock.ts';

const temporaryFolder = () => mkdtempDisposableSync(join(tmpdir(), 'chandlery-lock-'));

/** Another process that holds the folder; answers when it does. */
async function holdElsewhere(folder: string): Promise<ChildProcess> {
  const module = new URL('./folder-lock.ts', import.meta.url).href;
  const script = `const { lockFolder } = await import(${JSON.stringify(module)});
    lockFolder(${JSON.stringify(folder)}); globalThis.gc(); console.log('held'); setInterval(() => globalThis.gc(), 10);`;
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  assert.ok(child.stdout);
  await once(child.stdout, 'data');
  return child;
}

test('a folder is held by one process, and is free the moment that process is killed', async () => {
  using folder = temporaryFolder();
  const child = await holdElsewhere(folder.path);
  try {
    assert.throws(() => lockFolder(folder.path), {
      code: 'FolderInUse',
      message: `the data folder ${folder.path} is in use by process ${child.pid}`,
      hint: /--data-dir/,
    });
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  using lock = lockFolder(folder.path);
  assert.equal(lock.folder, folder.path);
});

test('the same process cannot hold a folder twice, but again after letting go', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'not', 'yet', 'there');
  {
    using lock = lockFolder(path);
    assert.throws(() => lockFolder(lock.folder), {
      code: 'FolderInUse',
      message: new RegExp(`process ${process.pid}`),
    });
  }
  assert.equal(existsSync(join(path, 'lock.pid')), false);
  lockFolder(path)[Symbol.dispose]();
});

test('letting go twice does not let go of the next holder', () => {
  using folder = temporaryFolder();
  const first = lockFolder(folder.path);
  first[Symbol.dispose]();
  using _second = lockFolder(folder.path);
  first[Symbol.dispose]();
  assert.throws(() => lockFolder(folder.path), { code: 'FolderInUse' });
});

test('a folder that cannot be one is rejected clearly', () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'file');
  writeFileSync(file, '');
  for (const path of [file, join(file, 'below')]) {
    const message = `cannot use the data folder ${path}: ${file} is not a folder`;
    assert.throws(() => lockFolder(path), { code: 'FolderNotUsable', message, hint: /--data-dir/ });
  }
});
