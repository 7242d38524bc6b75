import assert from 'node:assert/strict';
import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { tempFolder } from '../temp-folder.ts';
import { makeFreshData } from './fresh-data.ts';

/** Replaces the programs of PostgreSQL: its data shows which run made it. */
async function standIn(folder: string, version: string): Promise<string> {
  const programs = {
    initdb: '#!/bin/sh\nmkdir -m 700 "$2" && echo "$@" > "$2/made" && echo run >> "$0.log"\n',
    postgres: `#!/bin/sh\necho "${version}"\n`,
  };
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(`${folder}/${name}`, script);
    await chmod(`${folder}/${name}`, 0o755);
  }
  return folder;
}

const runsOf = async (binaries: string): Promise<number> =>
  (await readFile(`${binaries}/initdb.log`, 'utf8')).trim().split('\n').length;

test('data is made once for each version and set of flags, and copied with its rights from then on', async () => {
  await using folder = await tempFolder();
  const cacheFolder = folder.join('cache');
  let count = 0;
  const make = async (binaries: string, flags: readonly string[]) => {
    const target = folder.join(`data-${++count}`);
    await makeFreshData({ binaries, flags, account: undefined, target, cacheFolder });
    return target;
  };
  const binaries = await standIn(folder.path, 'PostgreSQL 17');
  const first = await make(binaries, ['--locale=C']);
  const second = await make(binaries, ['--locale=C']);
  assert.equal(await runsOf(binaries), 1);
  assert.equal(await readFile(`${second}/made`, 'utf8'), await readFile(`${first}/made`, 'utf8'));
  assert.equal((await stat(second)).mode & 0o777, 0o700);
  await rm(`${second}/made`);
  assert.deepEqual(await readdir(await make(binaries, ['--locale=C'])), ['made'], 'the copies are apart');
  await make(binaries, ['--locale=de']);
  assert.equal(await runsOf(binaries), 2);
  await standIn(folder.path, 'PostgreSQL 18');
  await make(binaries, ['--locale=C']);
  assert.equal(await runsOf(binaries), 3);
});

test('processes that make data at the same time keep one copy', async () => {
  await using folder = await tempFolder();
  const cacheFolder = folder.join('cache');
  const binaries = await standIn(folder.path, 'PostgreSQL 17');
  const targets = [1, 2, 3, 4].map(no => folder.join(`data-${no}`));
  await Promise.all(
    targets.map(target => makeFreshData({ binaries, flags: [], account: undefined, target, cacheFolder })),
  );
  for (const target of targets) assert.deepEqual(await readdir(target), ['made']);
  assert.equal((await readdir(cacheFolder)).length, 1);
});
