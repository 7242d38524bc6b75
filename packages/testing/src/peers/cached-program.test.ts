import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempFolder } from '../temp-folder.ts';
import { type CachedProgram, findCachedProgram } from './cached-program.ts';
import { findDebianProgram } from './debian-packages.ts';
import { whySkipped } from './found-program.ts';

const script = (text: string): CachedProgram => ({
  name: 'tool-1.0',
  program: 'bin/tool',
  commands: folder => [['sh', '-c', `mkdir -p "$1/bin" && cd "$1/bin" && ${text}`, 'fetch', folder]],
});

test('a program is fetched once, however many ask at the same time', async () => {
  await using cache = await tempFolder();
  const fetched = script(`echo x >> ${cache.join('log')} && touch tool && chmod +x tool`);
  const found = await Promise.all([1, 2, 3].map(() => findCachedProgram(fetched, cache.path)));
  for (const program of found) assert.deepEqual(program, { path: join(cache.path, 'tool-1.0/bin/tool') });
  assert.deepEqual(await findCachedProgram(script('false'), cache.path), found[0]);
  assert.deepEqual((await readdir(cache.path)).sort(), ['log', 'tool-1.0']);
});

test('a program that cannot be fetched is a reason to skip, and leaves nothing', async () => {
  await using cache = await tempFolder();
  const failed = await findCachedProgram(script('echo no network >&2; false'), cache.path);
  assert.equal(whySkipped(failed), 'no tool-1.0: sh failed: no network');
  assert.deepEqual(await readdir(cache.path), []);
  const empty = await findCachedProgram(script('true'), cache.path);
  assert.equal(whySkipped(empty), 'no tool-1.0: the package has no bin/tool');
});

test('a program of the system is found where it is', async () => {
  const found = await findDebianProgram('sh', 'dash');
  assert.match(found.path ?? '', /\/sh$/);
  assert.equal(whySkipped(found), false);
});
