// The contract of blob stores on moto, which speaks the protocol of S3.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { findMoto, tempFolder, whySkipped } from '@chandlery/testing';
import { blobStoreContract } from '../../domains/orders/src/adapters/blobs/blob-store-contract.ts';
import { S3BlobStore } from '../../domains/orders/src/adapters/blobs/s3-blob-store.ts';
import { startMoto } from './support/moto.ts';

const moto = await findMoto();
const skip = whySkipped(moto);
const options = { region: 'us-east-1', bucket: 'chandlery', accessKeyId: 'AKIATEST', secretAccessKey: 'not-a-secret' };

/** Starts moto with an empty bucket. */
async function open() {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(await startMoto(moto.path ?? ''));
  const folder = stack.use(await tempFolder());
  const made = await fetch(`${url}/${options.bucket}`, { method: 'PUT' });
  assert.equal(made.status, 200, await made.text());
  const all = stack.move();
  return {
    url,
    store: new S3BlobStore({ ...options, endpoint: url, incoming: folder.join('incoming') }),
    leftovers: async () => (await readdir(folder.join('incoming')).catch(() => [])).length,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function* repeat(chunk: Uint8Array, times: number): AsyncGenerator<Uint8Array> {
  for (let time = 0; time < times; time++) yield chunk;
}

if (skip !== false) test('the blob store on S3', { skip }, () => undefined);
else {
  blobStoreContract('the blob store on S3', open);

  describe('the blob store on S3, besides', () => {
    test('streams large blobs both ways', async () => {
      await using tested = await open();
      await using staged = await tested.store.stage(repeat(Buffer.alloc(1024 * 1024, 'x'), 32));
      await staged.keep();
      let size = 0;
      for await (const chunk of tested.store.read(staged.digest)) size += chunk.length;
      assert.equal(size, 32 * 1024 * 1024);
    });

    test('says what the server answered', async () => {
      await using tested = await open();
      const store = new S3BlobStore({ ...options, bucket: 'missing', endpoint: tested.url, incoming: '/nowhere' });
      await assert.rejects(Array.fromAsync(store.digests()), { code: 'Unavailable', message: /404.*NoSuchBucket/s });
    });
  });
}
