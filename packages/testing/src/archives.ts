import { gunzipSync, inflateRawSync } from 'node:zlib';
import { ChandleryError } from '@chandlery/api';

const tarBlock = 512;

/** Reads one file out of a `.tar.gz`; long names (over 100 bytes) are not understood. */
export function readFromTarball(tarball: Uint8Array, name: string): Buffer {
  const tar = gunzipSync(tarball);
  for (let at = 0; at + tarBlock <= tar.length; ) {
    const entryName = textUntilZero(tar.subarray(at, at + 100));
    const size = Number.parseInt(textUntilZero(tar.subarray(at + 124, at + 136)), 8) || 0;
    const start = at + tarBlock;
    if (entryName === name) return tar.subarray(start, start + size);
    at = start + Math.ceil(size / tarBlock) * tarBlock;
  }
  throw missing(name);
}

const endRecordSignature = 0x06054b50;
const directorySignature = 0x02014b50;

/** Reads one file out of a zip archive: stored or deflated, no encryption, no zip64. */
export function readFromZip(zip: Buffer, name: string): Buffer {
  const endRecord = findEndRecord(zip);
  const count = zip.readUInt16LE(endRecord + 10);
  let at = zip.readUInt32LE(endRecord + 16);
  for (let index = 0; index < count; index += 1) {
    if (zip.readUInt32LE(at) !== directorySignature) throw damaged();
    const nameLength = zip.readUInt16LE(at + 28);
    const entryName = zip.toString('utf8', at + 46, at + 46 + nameLength);
    if (entryName === name) return readZipEntry(zip, at);
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  throw missing(name);
}

/** The end record is followed by a comment of any length, so it is searched from the back. */
function findEndRecord(zip: Buffer): number {
  for (let at = zip.length - 22; at >= 0; at -= 1) {
    if (zip.readUInt32LE(at) === endRecordSignature) return at;
  }
  throw damaged();
}

/** Sizes come from the directory (the local header may leave them out), the data's position from the local header. */
function readZipEntry(zip: Buffer, directoryEntry: number): Buffer {
  const method = zip.readUInt16LE(directoryEntry + 10);
  const compressedSize = zip.readUInt32LE(directoryEntry + 20);
  const local = zip.readUInt32LE(directoryEntry + 42);
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const data = zip.subarray(start, start + compressedSize);
  if (method === 0) return data;
  if (method === 8) return inflateRawSync(data);
  throw new ChandleryError('BadArchive', `zip compression method ${method} is not understood`);
}

const textUntilZero = (bytes: Buffer): string => bytes.toString('utf8').split('\0', 1)[0]?.trim() ?? '';

const missing = (name: string): ChandleryError => new ChandleryError('BadArchive', `the archive has no file ${name}`);

const damaged = (): ChandleryError => new ChandleryError('BadArchive', 'not a zip archive, or a damaged one');
