import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { isError } from '@chandlery/api';
import { tempFolder } from '@chandlery/testing';
import type { BlobStore } from '../../ports.ts';

/** A store to be tested. */
export interface TestedBlobStore extends AsyncDisposable {
  readonly store: BlobStore;
  /** The number of files that are neither blobs nor expected to stay. */
  leftovers(): Promise<number>;
}

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function* chunks(...parts: readonly (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield Buffer.from(part);
  }
}

const collect = async (content: AsyncIterable<Uint8Array>): Promise<string> =>
  Buffer.concat(await Array.fromAsync(content)).toString();

/** What every blob store does. */
export function blobStoreContract(name: string, open: () => Promise<TestedBlobStore>): void {
  describe(name, () => {
    test('returns what was kept, as a whole and in ranges', async () => {
      await using tested = await open();
      const { store } = tested;
      await using staged = await store.stage(chunks('hello ', 'world'));
      assert.deepEqual([staged.digest, staged.size], [digestOf(Buffer.from('hello world')), 11]);
      assert.equal(await store.has(staged.digest), false);
      await staged.keep();
      assert.equal(await store.has(staged.digest), true);
      assert.equal(await collect(store.read(staged.digest)), 'hello world');
      assert.equal(await collect(store.read(staged.digest, { start: 6, end: 8 })), 'wor');
      assert.equal(await collect(store.read(staged.digest, { start: 10, end: 10 })), 'd');
      assert.equal(await tested.leftovers(), 0);
    });

    test('keeps the same bytes once', async () => {
      await using tested = await open();
      const { store } = tested;
      for (let time = 0; time < 2; time++) {
        await using staged = await store.stage(chunks('same'));
        await staged.keep();
      }
      assert.deepEqual(await Array.fromAsync(store.digests()), [digestOf(Buffer.from('same'))]);
      assert.equal(await tested.leftovers(), 0);
    });

    test('keeps a blob of no bytes', async () => {
      await using tested = await open();
      await using staged = await tested.store.stage(chunks());
      await staged.keep();
      assert.equal(staged.size, 0);
      assert.equal(await collect(tested.store.read(staged.digest)), '');
    });

    test('leaves nothing of content that fails, or is not kept', async () => {
      await using tested = await open();
      const { store } = tested;
      await assert.rejects(store.stage(chunks('part', new Error('cut'))), /cut/);
      {
        await using _discarded = await store.stage(chunks('discarded'));
      }
      assert.deepEqual(await Array.fromAsync(store.digests()), []);
      assert.equal(await tested.leftovers(), 0);
    });

    test('takes over a file', async () => {
      await using tested = await open();
      await using folder = await tempFolder();
      const path = folder.join('upload');
      await writeFile(path, 'from a file');
      await using staged = await tested.store.stageFile(path);
      await staged.keep();
      assert.equal(await collect(tested.store.read(staged.digest)), 'from a file');
      await assert.rejects(writeFile(path, '', { flag: 'r+' }), { code: 'ENOENT' });
    });

    test('removes a blob, also one that is not there', async () => {
      await using tested = await open();
      const { store } = tested;
      await using staged = await store.stage(chunks('gone'));
      await staged.keep();
      await store.remove(staged.digest);
      await store.remove(staged.digest);
      assert.equal(await store.has(staged.digest), false);
      await assert.rejects(collect(store.read(staged.digest)), error => isError(error, 'NotFound'));
    });
  });
}
