import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { tempFolder } from '@chandlery/testing';
import { blobStoreContract } from './blob-store-contract.ts';
import { FileBlobStore } from './file-blob-store.ts';
import { UploadFolder } from './upload-folder.ts';

blobStoreContract('the blob store in a folder', async () => {
  const folder = await tempFolder();
  return {
    store: new FileBlobStore(folder.path),
    leftovers: async () => (await readdir(folder.join('incoming')).catch(() => [])).length,
    [Symbol.asyncDispose]: () => Promise.resolve(folder[Symbol.asyncDispose]()),
  };
});

async function* cut(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
  throw new Error('cut');
}

test('an upload keeps what arrived before it was cut, and goes on from there', async () => {
  await using folder = await tempFolder();
  const uploads = new UploadFolder(folder.join('uploads'));
  assert.equal(await uploads.size('a'), 0);
  await assert.rejects(uploads.append('a', cut('hello ')), /cut/);
  assert.equal(await uploads.size('a'), 6);
  const rest = async function* () {
    yield Buffer.from('world');
  };
  assert.equal(await uploads.append('a', rest()), 11);
  assert.deepEqual(await uploads.ids(), ['a']);
  await uploads.remove('a');
  assert.deepEqual([await uploads.size('a'), await uploads.ids()], [0, []]);
});
