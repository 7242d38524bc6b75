// The contract of blob stores on large objects of a real PostgreSQL.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { openLargeObjects, openStore } from '@chandlery/kernel';
import { moveBlobs } from '@chandlery/orders';
import { type Postgres, startPostgres, tempFolder } from '@chandlery/testing';
import { blobStoreContract } from '../../../domains/orders/src/adapters/blobs/blob-store-contract.ts';
import { FileBlobStore } from '../../../domains/orders/src/adapters/blobs/file-blob-store.ts';
import { PostgresBlobStore } from '../../../domains/orders/src/adapters/blobs/postgres-blob-store.ts';

let postgres: Postgres;
before(async () => {
  postgres = await startPostgres();
});
after(() => postgres[Symbol.asyncDispose]());

let schemas = 0;

/** Opens blobs in a schema of their own. */
async function open() {
  await using stack = new AsyncDisposableStack();
  const options = { url: postgres.url, schema: `blobs_${schemas++}` };
  stack.use(await openStore({ type: 'postgres', ...options }));
  const objects = stack.use(await openLargeObjects(options));
  const folder = stack.use(await tempFolder());
  const all = stack.move();
  return {
    options,
    folder,
    store: new PostgresBlobStore({ objects, incoming: folder.join('incoming') }),
    leftovers: async () => (await readdir(folder.join('incoming')).catch(() => [])).length,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

blobStoreContract('the blob store in PostgreSQL', open);

async function* parts(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('the blob store in PostgreSQL, besides', () => {
  test('keeps blobs of many chunks, which another replica reads', async () => {
    await using tested = await open();
    const bytes = randomBytes(3 * 1024 * 1024 + 17);
    await using staged = await tested.store.stage(parts(bytes, 100_000));
    await staged.keep();
    await using objects = await openLargeObjects(tested.options);
    const other = new PostgresBlobStore({ objects, incoming: tested.folder.join('other') });
    const hash = createHash('sha256');
    for await (const chunk of other.read(staged.digest)) hash.update(chunk);
    assert.equal(hash.digest('hex'), staged.digest);
    const range = { start: 1024 * 1024 - 3, end: 2 * 1024 * 1024 + 5 };
    const read = Buffer.concat(await Array.fromAsync(other.read(staged.digest, range)));
    assert.ok(read.equals(bytes.subarray(range.start, range.end + 1)));
  });

  test('takes the same bytes from two replicas at once', async () => {
    await using tested = await open();
    await using objects = await openLargeObjects(tested.options);
    const other = new PostgresBlobStore({ objects, incoming: tested.folder.join('other') });
    const bytes = randomBytes(500_000);
    await using first = await tested.store.stage(parts(bytes, 100_000));
    await using second = await other.stage(parts(bytes, 100_000));
    await Promise.all([first.keep(), second.keep()]);
    assert.deepEqual(await Array.fromAsync(other.digests()), [first.digest]);
    await other.remove(first.digest);
    assert.equal(await tested.store.has(first.digest), false);
  });

  test('takes over the blobs of a folder', async () => {
    await using tested = await open();
    const files = new FileBlobStore(tested.folder.path);
    await using staged = await files.stage(parts(Buffer.from('from a folder'), 4));
    await staged.keep();
    await moveBlobs(files, tested.store);
    const read = Buffer.concat(await Array.fromAsync(tested.store.read(staged.digest)));
    assert.equal(read.toString(), 'from a folder');
    assert.deepEqual(await Array.fromAsync(files.digests()), []);
  });
});
