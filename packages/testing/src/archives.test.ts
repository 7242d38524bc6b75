import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { readFromTarball, readFromZip } from './archives.ts';

/** plain.txt is stored, a/packed.txt is deflated, and the archive ends with a comment. */
const zipBase64 = [
  'UEsDBBQAAAAAAAAAIQAL+UNWBgAAAAYAAAAJAAAAcGxhaW4udHh0c3RvcmVkUEsDBBQAAAAIAAAAIQBOQHu2CwAAAHgAAAAMAAAA',
  'YS9wYWNrZWQudHh0S0xPzMxTSKQ7CQBQSwECFAMUAAAAAAAAACEAC/lDVgYAAAAGAAAACQAAAAAAAAAAAAAAgAEAAAAAcGxhaW4u',
  'dHh0UEsBAhQDFAAAAAgAAAAhAE5Ae7YLAAAAeAAAAAwAAAAAAAAAAAAAAIABLQAAAGEvcGFja2VkLnR4dFBLBQYAAAAAAgACAHEA',
  'AABiAAAACQBhIGNvbW1lbnQ=',
].join('');

function tarEntry(name: string, content: string): Buffer {
  const entry = Buffer.alloc(512 + Math.ceil(content.length / 512) * 512);
  entry.write(name, 0);
  entry.write(content.length.toString(8).padStart(11, '0'), 124);
  entry.write(content, 512);
  return entry;
}

test('files are read from a zip archive, stored or deflated', () => {
  const zip = Buffer.from(zipBase64, 'base64');
  assert.equal(readFromZip(zip, 'plain.txt').toString(), 'stored');
  assert.equal(readFromZip(zip, 'a/packed.txt').toString(), 'again '.repeat(20));
  assert.throws(() => readFromZip(zip, 'absent'), /no file absent/);
  assert.throws(() => readFromZip(Buffer.from('no archive, just some text'), 'x'), /not a zip archive/);
});

test('files are read from a tarball', () => {
  const tarball = gzipSync(
    Buffer.concat([tarEntry('one', 'x'.repeat(600)), tarEntry('two', 'second'), Buffer.alloc(1024)]),
  );
  assert.equal(readFromTarball(tarball, 'two').toString(), 'second');
  assert.throws(() => readFromTarball(tarball, 'three'), /no file three/);
});
