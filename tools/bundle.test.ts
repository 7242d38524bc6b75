import assert from 'node:assert/strict';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProcess, tempFolder } from '@chandlery/testing';

const looking = join(import.meta.dirname, '../packages/platform/bin/bundle.mjs');

/** What the launcher finds; it is plain JavaScript for any Node.js, so it is asked in a process of its own. */
async function found(folder: string, sources: string): Promise<string> {
  const script = `import { freshBundle } from ${JSON.stringify(looking)};
    process.stdout.write(String(freshBundle('command', ${JSON.stringify(folder)}, ${JSON.stringify(sources)})));`;
  const { stdout } = await runProcess(process.execPath, ['--input-type=module', '--eval', script]);
  return stdout;
}

test('a command is taken from its bundle as long as nothing that went into it has changed', async () => {
  await using folder = await tempFolder();
  const bundle = folder.join('bundle');
  await mkdir(bundle);
  await writeFile(folder.join('a.ts'), 'one');
  await utimes(folder.join('a.ts'), 1000, 1000);
  assert.equal(await found(bundle, folder.path), 'undefined', 'there is none');
  await writeFile(join(bundle, 'current.json'), JSON.stringify({ made: 'm1', inputs: [['a.ts', 1_000_000, 3]] }));
  assert.match(await found(bundle, folder.path), /^file:.*\/bundle\/m1\/command\.mjs$/);
  await writeFile(folder.join('a.ts'), 'two');
  assert.equal(await found(bundle, folder.path), 'undefined', 'it was written later');
  await writeFile(folder.join('a.ts'), 'three');
  await utimes(folder.join('a.ts'), 1000, 1000);
  assert.equal(await found(bundle, folder.path), 'undefined', 'it has another size');
});
