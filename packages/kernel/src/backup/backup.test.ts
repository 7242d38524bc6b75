import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { tempFolder } from '@chandlery/testing';
import fc from 'fast-check';
import { openStore } from '../store/open-store.ts';
import type { Put, Snapshot, SnapshotObject } from '../store/store.ts';
import { backupFile, readBackup, verifyBackup, writeBackup } from './index.ts';

const createdAt = new Date('2026-01-02T03:04:05.678Z');
const keys = { 'ca.key': 'secret', 'encryption.json': '[]' };
const extras = { keys, facts: { fingerprint: 'abc' }, createdAt };

const object = (index: number, more: Partial<SnapshotObject> = {}): SnapshotObject => ({
  key: { cluster: 'platform', resource: '/secrets', namespace: 'default', name: `s-${index}` },
  revision: 100 + index,
  createdRevision: 1 + index,
  value: { bytes: Buffer.from(`{"metadata":{"name":"s-${index}"}}`), splice: 13 },
  terms: [1, 2 ** 52 + index],
  unique: [],
  ...more,
});

const snapshotOf = (...batches: readonly SnapshotObject[][]): Snapshot => ({
  revision: 5000,
  objects: (async function* () {
    yield* batches;
  })(),
});

const many = (count: number): SnapshotObject[] => Array.from({ length: count }, (_, index) => object(index));

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(chunks));
}

async function* inPieces(file: Uint8Array, length = 1000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.length; at += length) yield file.subarray(at, at + length);
}

const plain = (objects: readonly SnapshotObject[]): unknown[] =>
  objects.map(({ value, ...rest }) => ({
    ...rest,
    splice: value.splice,
    bytes: Buffer.from(value.bytes).toString('hex'),
  }));

const written = (...batches: readonly SnapshotObject[][]): Promise<Buffer> =>
  collect(writeBackup(snapshotOf(...batches), extras));

const rewritten = (file: Buffer, change: (lines: string[]) => string[]): Buffer =>
  gzipSync(`${change(gunzipSync(file).toString().trimEnd().split('\n')).join('\n')}\n`);

describe('a backup', () => {
  test('comes back as it was written, in batches', async () => {
    const objects = many(1203);
    const file = await written(objects.slice(0, 700), [], objects.slice(700));
    const { header, keys: readKeys, facts, snapshot } = await readBackup(inPieces(file));
    assert.deepEqual(header, {
      format: 'chandlery-backup',
      version: 1,
      revision: 5000,
      createdAt: '2026-01-02T03:04:05.678Z',
    });
    assert.deepEqual(readKeys, keys);
    assert.deepEqual(facts, { fingerprint: 'abc' });
    assert.equal(snapshot.revision, 5000);
    const batches = await Array.fromAsync(snapshot.objects);
    assert.deepEqual(
      batches.map(batch => batch.length),
      [500, 500, 203],
    );
    assert.deepEqual(plain(batches.flat()), plain(objects));
  });

  test('of an empty landscape is a backup', async () => {
    assert.deepEqual((await verifyBackup(inPieces(await written()))).count, 0);
  });

  test('keeps any name, term and byte', async () => {
    const anyObject = fc.record({
      key: fc.record(
        { cluster: fc.string(), resource: fc.string(), namespace: fc.string(), name: fc.string() },
        { noNullPrototype: true },
      ),
      revision: fc.nat(),
      createdRevision: fc.nat(),
      value: fc.uint8Array({ maxLength: 50 }).map(bytes => ({ bytes, splice: bytes.length })),
      terms: fc.array(fc.maxSafeInteger()),
      unique: fc.array(fc.string()),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyObject, { maxLength: 8 }), async objects => {
        const { snapshot } = await readBackup(inPieces(await written(objects), 7));
        assert.deepEqual(plain((await Array.fromAsync(snapshot.objects)).flat()), plain(objects));
      }),
      { numRuns: 40 },
    );
  });

  test('stops reading the snapshot when its reader stops', async () => {
    let isReleased = false;
    const endless: Snapshot = {
      revision: 1,
      objects: (async function* () {
        try {
          for (let index = 0; ; index++) yield [object(index)];
        } finally {
          isReleased = true;
        }
      })(),
    };
    for await (const chunk of writeBackup(endless, extras)) if (chunk.length > 0) break;
    while (!isReleased) await new Promise(setImmediate);
  });

  test('fails when the snapshot fails', async () => {
    const failing: Snapshot = {
      revision: 1,
      objects: (async function* () {
        yield many(3);
        throw new Error('disk removed');
      })(),
    };
    await assert.rejects(collect(writeBackup(failing, extras)), /disk removed/);
  });

  test('fails with what its source fails with', async () => {
    await assert.rejects(verifyBackup(backupFile('/does/not/exist')), { code: 'ENOENT' });
  });
});

describe('a file that is not a sound backup is rejected', () => {
  interface Case {
    readonly why: string;
    readonly code: string;
    readonly file: (good: Buffer) => Uint8Array;
  }
  const cases: readonly Case[] = [
    { why: 'an empty file', code: 'BackupTruncated', file: () => Buffer.alloc(0) },
    { why: 'plain text', code: 'NotABackup', file: () => Buffer.from('hello\n') },
    { why: 'other compressed text', code: 'NotABackup', file: () => gzipSync('hello\n') },
    { why: 'other compressed JSON', code: 'NotABackup', file: () => gzipSync('{"format":"x"}\n') },
    { why: 'a JSON null', code: 'NotABackup', file: () => gzipSync('null\n') },
    {
      why: 'a newer format',
      code: 'BackupTooNew',
      file: good => rewritten(good, ([head = '', ...rest]) => [head.replace('"version":1', '"version":2'), ...rest]),
    },
    { why: 'half a file', code: 'BackupTruncated', file: good => good.subarray(0, good.length / 2) },
    { why: 'all but the last byte', code: 'BackupTruncated', file: good => good.subarray(0, -1) },
    { why: 'no trailer', code: 'BackupTruncated', file: good => rewritten(good, lines => lines.slice(0, -1)) },
    { why: 'only a header', code: 'BackupTruncated', file: good => rewritten(good, lines => lines.slice(0, 1)) },
    { why: 'an object less', code: 'BackupCorrupted', file: good => rewritten(good, lines => lines.toSpliced(5, 1)) },
    {
      why: 'a changed value',
      code: 'BackupCorrupted',
      file: good => rewritten(good, lines => lines.with(5, (lines[5] ?? '').replace('"s-3"', '"s-x"'))),
    },
    {
      why: 'changed keys',
      code: 'BackupCorrupted',
      file: good => rewritten(good, lines => lines.with(1, (lines[1] ?? '').replace('secret', 'SECRET'))),
    },
    { why: 'a line of rubbish', code: 'BackupCorrupted', file: good => rewritten(good, lines => lines.with(4, '{')) },
    {
      why: 'a half line',
      code: 'BackupCorrupted',
      file: good => rewritten(good, lines => lines.with(4, '{"key":[]}')),
    },
    {
      why: 'keys of a wrong form',
      code: 'BackupCorrupted',
      file: good => rewritten(good, lines => lines.with(1, '[]')),
    },
    {
      why: 'lines after the trailer',
      code: 'BackupCorrupted',
      file: good => rewritten(good, lines => [...lines, lines[3] ?? '']),
    },
    {
      why: 'a changed checksum of the compressor',
      code: 'BackupCorrupted',
      file: good => good.with(good.length - 6, (good.at(-6) ?? 0) ^ 1),
    },
  ];
  for (const { why, code, file } of cases) {
    test(why, async () => {
      const good = await written(many(700));
      await assert.rejects(verifyBackup(inPieces(file(good))), { name: 'ChandleryError', code });
    });
  }

  test('any changed byte of the compressed contents is noticed', async () => {
    const good = await written(many(30));
    // The ten bytes of the gzip header hold a time and a system that mean nothing to us.
    const place = fc.integer({ min: 10, max: good.length - 1 });
    await fc.assert(
      fc.asyncProperty(place, fc.integer({ min: 1, max: 255 }), async (at, mask) => {
        const changed = Buffer.from(good.with(at, (good[at] ?? 0) ^ mask));
        const summary = await verifyBackup(inPieces(changed)).catch(() => undefined);
        // Some bits of the compressed form only fill up a byte.
        if (summary !== undefined) assert.deepEqual(gunzipSync(changed), gunzipSync(good));
      }),
      { numRuns: 60 },
    );
  });
});

describe('a backup of a store', () => {
  const put = (name: string, more: Partial<Put> = {}): Put => ({
    type: 'put',
    key: { cluster: 'platform', resource: '/configmaps', namespace: 'default', name },
    expect: { type: 'any' },
    value: { bytes: Buffer.from(`{"name":"${name}"}`), splice: 1 },
    terms: [7, 9],
    ...more,
  });

  test('fills another store with the same objects and revisions', async () => {
    await using folder = await tempFolder();
    await using store = await openStore({ type: 'sqlite', folder: folder.join('a') });
    await store.commit({ writes: [put('a'), put('b', { unique: ['b'], expiresAt: 99 })] });
    await store.commit({ writes: [put('a', { terms: [] })] });
    await writeFile(folder.join('backup'), writeBackup(await store.snapshot(), extras));

    const source = backupFile(folder.join('backup'));
    assert.equal((await verifyBackup(source)).count, 2);
    const { snapshot } = await readBackup(source);
    await using other = await openStore({ type: 'sqlite', folder: folder.join('b') });
    await other.load(snapshot);

    assert.equal(await other.currentRevision(), 3);
    const [before, after] = await Promise.all(
      [store, other].map(async from => plain((await Array.fromAsync((await from.snapshot()).objects)).flat())),
    );
    assert.deepEqual(after, before);
    await assert.rejects(other.commit({ writes: [put('c', { unique: ['b'] })] }), { code: 'UniqueViolation' });
  });

  test('leaves a store empty when it breaks off', async () => {
    await using folder = await tempFolder();
    const file = await written(many(900));
    const { snapshot } = await readBackup(inPieces(file.subarray(0, -20)));
    await using store = await openStore({ type: 'sqlite', folder: folder.path });
    await assert.rejects(store.load(snapshot), { code: 'BackupTruncated' });
    assert.equal(await store.currentRevision(), 0);
    await store.load((await readBackup(inPieces(file))).snapshot);
    assert.equal(await store.currentRevision(), 5000);
  });
});
