import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { tempFolder } from '@chandlery/testing';
import type { BlobStore } from '../../ports.ts';
import { FileBlobStore } from '../blobs/file-blob-store.ts';
import { FileSiteStore } from './file-site-store.ts';
import { tarGzipOf, tarOf, zipOf } from './test-archives.ts';

const limits = { siteBytes: 100_000, siteEntries: 20 };
const files = { 'index.html': '<h1>hi</h1>', 'docs/a.txt': 'text', 'empty.txt': '' };

async function put(blobs: BlobStore, bytes: Uint8Array): Promise<string> {
  async function* content(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  await using staged = await blobs.stage(content());
  await staged.keep();
  return staged.digest;
}

async function openStore() {
  const folder = await tempFolder();
  const blobs = new FileBlobStore(folder.path);
  const replica = (name: string): FileSiteStore =>
    new FileSiteStore({ folder: folder.join(name), incoming: folder.join('incoming'), blobs, limits });
  return {
    blobs,
    replica,
    store: replica('sites'),
    /** What is neither a blob nor an unpacked archive. */
    leftovers: () => readdir(folder.join('incoming')),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

async function readText(store: FileSiteStore, digest: string, path: string): Promise<string> {
  const file = (await store.open(digest)).files.get(path) ?? assert.fail(`no ${path}`);
  if (file.size === 0) return '';
  const pieces = await store.read(digest, file, { start: 0, end: file.size - 1 });
  return Buffer.concat(await Array.fromAsync(pieces)).toString();
}

describe('an archive', () => {
  const formats: readonly (readonly [format: string, bytes: () => Promise<Buffer>])[] = [
    ['tar', () => tarOf(files)],
    ['tar.gz', () => tarGzipOf(files)],
    ['zip', async () => zipOf(Object.entries(files).map(([name, content]) => ({ name, content })))],
  ];
  for (const [format, bytes] of formats)
    test(`of the format ${format} is unpacked, and read in ranges`, async () => {
      await using opened = await openStore();
      const { store, blobs } = opened;
      const digest = await put(blobs, await bytes());
      const archive = await store.open(digest);
      assert.deepEqual([...archive.files.keys()].sort(), Object.keys(files).sort());
      assert.deepEqual([...archive.folders], ['docs']);
      for (const [path, content] of Object.entries(files)) assert.equal(await readText(store, digest, path), content);
      const file = archive.files.get('docs/a.txt') ?? assert.fail();
      const part = await Array.fromAsync(await store.read(digest, file, { start: 1, end: 2 }));
      assert.equal(Buffer.concat(part).toString(), 'ex');
      assert.deepEqual(await opened.leftovers(), []);
    });

  test('that was unpacked is found by a store that is opened later, and by other replicas', async () => {
    await using opened = await openStore();
    const digest = await put(opened.blobs, await tarOf(files));
    await opened.store.open(digest);
    assert.equal(await readText(opened.replica('other-machine'), digest, 'docs/a.txt'), 'text');
    await opened.blobs.remove(digest);
    assert.equal(await readText(opened.replica('sites'), digest, 'docs/a.txt'), 'text');
  });

  test('that is removed can still be read by who has begun, and is unpacked again for others', async () => {
    await using opened = await openStore();
    const { store } = opened;
    const digest = await put(opened.blobs, await tarOf(files));
    const file = (await store.open(digest)).files.get('index.html') ?? assert.fail();
    const begun = await store.read(digest, file, { start: 0, end: file.size - 1 });
    await store.remove(digest);
    await store.remove(digest);
    assert.deepEqual(await store.digests(), []);
    assert.equal(Buffer.concat(await Array.fromAsync(begun)).toString(), '<h1>hi</h1>');
    const again = await store.read(digest, file, { start: 0, end: 3 });
    assert.equal(Buffer.concat(await Array.fromAsync(again)).toString(), '<h1>');
    assert.deepEqual(await store.digests(), [digest]);
  });

  test('is unpacked once for requests at the same time', async () => {
    await using opened = await openStore();
    const digest = await put(opened.blobs, await tarOf(files));
    const archives = await Promise.all(Array.from({ length: 20 }, () => opened.store.open(digest)));
    assert.equal(new Set(archives).size, 1);
  });

  const link = 0o120_777;
  const manyFiles = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`f${at}`, 'x']));
  const rejected: readonly (readonly [what: string, bytes: () => Promise<Buffer> | Buffer, why: RegExp])[] = [
    ['no archive', () => Buffer.from('hello'), /no tar, tar\.gz or zip/],
    ['no bytes', () => Buffer.alloc(0), /no tar, tar\.gz or zip/],
    ['gzip of something else', () => gzipSync('hello'.repeat(1000)), /cannot be served/],
    ['a cut tar', async () => (await tarOf(files)).subarray(0, 700), /cannot be served/],
    ['a cut tar.gz', async () => (await tarGzipOf(files)).subarray(0, 80), /cannot be served/],
    ['a cut zip', () => zipOf([{ name: 'a', content: 'x' }]).subarray(0, 40), /cannot be served/],
    ['an empty tar', async () => tarOf({ 'a/': '' }), /no files/],
    ['an empty zip', () => zipOf([]), /no files/],
    ['an absolute path', () => tarOf({ '/etc/x': 'x' }), /absolute/],
    ['a parent', () => tarOf({ 'a/../../x': 'x' }), /parent/],
    [
      'a symbolic link',
      () => tarOf(files, [{ name: 'l', type: 'symlink', linkname: '/etc/passwd' }]),
      /link or a device/,
    ],
    ['a hard link', () => tarOf(files, [{ name: 'l', type: 'link', linkname: 'index.html' }]), /link or a device/],
    ['a device', () => tarOf(files, [{ name: 'd', type: 'character-device' }]), /link or a device/],
    ['a parent in a zip', () => zipOf([{ name: '../x', content: 'x' }]), /cannot be served/],
    ['an absolute path in a zip', () => zipOf([{ name: '/x', content: 'x' }]), /cannot be served/],
    ['a backslash in a zip', () => zipOf([{ name: 'a\\x', content: 'x' }]), /cannot be served/],
    ['a symbolic link in a zip', () => zipOf([{ name: 'l', content: '/etc', mode: link }]), /link or a device/],
    ['too many entries', () => tarOf(manyFiles), /more than 20 entries/],
    ['too many bytes', () => tarOf({ a: 'x'.repeat(60_000), b: 'x'.repeat(60_000) }), /more than 100000 bytes/],
    ['a bomb', () => gzipSync(Buffer.alloc(50_000_000)), /cannot be served/],
    ['a bomb of a file', async () => gzipSync(await tarOf({ a: 'x'.repeat(5_000_000) })), /more than 100000 bytes/],
  ];
  for (const [what, bytes, why] of rejected)
    test(`with ${what} is rejected, and nothing of it stays`, async () => {
      await using opened = await openStore();
      const digest = await put(opened.blobs, await bytes());
      await assert.rejects(opened.store.open(digest), {
        restCode: 'invalid',
        facts: { name: 'controller.artifact' },
        message: why,
      });
      assert.deepEqual(await opened.store.digests(), []);
      assert.deepEqual(await opened.leftovers(), []);
    });
});
