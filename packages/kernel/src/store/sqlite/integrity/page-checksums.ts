import { closeSync, fstatSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { readIfPresent } from './commit-mark.ts';
import { pageSize, readFully, WalFile } from './wal-file.ts';

const headerSize = 32;
const entrySize = 8;
const magic = 0x63_68_70_31;
const sumOffset = headerSize - 4;
const pagesPerRead = 256;

/** How far the checksums know the log: frames of a generation whose pages they include. */
interface RecordedUpTo {
  readonly salt1: number;
  readonly salt2: number;
  readonly frame: number;
}

/** The checksum of every page of the database file, and a checksum of each entry, so that neither is taken for the other. */
export interface PageChecksums {
  readonly recordedUpTo: RecordedUpTo | undefined;
  readonly pageCount: number;
  /** Undefined when the entry itself is damaged. */
  of(page: number): number | undefined;
}

/** Reads the file of checksums; undefined when there is none. */
export function readPageChecksums(path: string): PageChecksums | undefined {
  const bytes = readIfPresent(path);
  if (bytes === undefined) return undefined;
  const pageCount = Math.max(0, Math.floor((bytes.length - headerSize) / entrySize));
  return {
    pageCount,
    recordedUpTo: readHeader(bytes),
    of: page => {
      const offset = headerSize + (page - 1) * entrySize;
      const sum = bytes.readUInt32BE(offset);
      if (sum === 0 && bytes.readUInt32BE(offset + 4) === 0) return emptyPageSum;
      return bytes.readUInt32BE(offset + 4) === entryCheck(page, sum) ? sum : undefined;
    },
  };
}

/**
 * Takes the database file as it is for good: for a new database, one of an earlier version, and when the operator says so.
 * The file must not be checkpointed meanwhile.
 */
export function buildPageChecksums(databasePath: string, path: string): void {
  const draft = `${path}.new`;
  const file = openSync(draft, 'w', 0o600);
  try {
    writeSync(file, headerOf({ salt1: 0, salt2: 0, frame: 0 }), 0, headerSize, 0);
    let offset = headerSize;
    for (const { page, sum } of pageSums(databasePath)) {
      writeSync(file, entryOf(page, sum), 0, entrySize, offset);
      offset += entrySize;
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}

/**
 * Records the pages that a checkpoint has just written: those of the log's frames up to `upTo`. The log must not restart
 * before this is done. Synced before it returns, because the log is about to overwrite the pages.
 */
export function recordCheckpoint(path: string, walPath: string, upTo: number): void {
  using wal = new WalFile(walPath);
  if (wal.header === undefined || upTo === 0) return;
  const { salt1, salt2 } = wal.header;
  const file = openSync(path, 'r+');
  try {
    const header = Buffer.alloc(headerSize);
    readSync(file, header, 0, headerSize, 0);
    const known = readHeader(header);
    const isSameLog = known?.salt1 === salt1 && known.salt2 === salt2;
    const from = isSameLog ? known.frame : 0;
    if (from >= upTo) return;
    const sums = new Map<number, number>();
    for (const { page, content } of wal.rawFrames(from, upTo)) sums.set(page, crc32(content));
    for (const [page, sum] of sums)
      writeSync(file, entryOf(page, sum), 0, entrySize, headerSize + (page - 1) * entrySize);
    fsyncSync(file);
    // Only now: entries that are not on the disk yet must be recorded again after a crash.
    writeSync(file, headerOf({ salt1, salt2, frame: upTo }), 0, headerSize, 0);
  } finally {
    closeSync(file);
  }
}

/** To be called when pages may have changed unrecorded: no checksums are better than wrong ones. */
export const forgetPageChecksums = (path: string): void => rmSync(path, { force: true });

/** The checksums of all pages that the database file has, a page cut short included. */
export function* pageSums(databasePath: string): Generator<{ readonly page: number; readonly sum: number }> {
  const file = openSync(databasePath, 'r');
  try {
    const { size } = fstatSync(file);
    const buffer = Buffer.alloc(pagesPerRead * pageSize);
    for (let start = 0; start < size; ) {
      const length = readFully(file, buffer, start);
      if (length === 0) return;
      for (let offset = 0; offset < length; offset += pageSize) {
        const content = buffer.subarray(offset, Math.min(offset + pageSize, length));
        yield { page: (start + offset) / pageSize + 1, sum: crc32(content) };
      }
      start += length;
    }
  } finally {
    closeSync(file);
  }
}

/** SQLite may leave a page unwritten that it freed at once: the file has a hole there, and so have the checksums. */
const emptyPageSum = crc32(Buffer.alloc(pageSize));

const entryCheck = (page: number, sum: number): number => {
  const text = Buffer.allocUnsafe(entrySize);
  text.writeUInt32BE(page, 0);
  text.writeUInt32BE(sum, 4);
  return crc32(text);
};

function entryOf(page: number, sum: number): Buffer {
  const entry = Buffer.allocUnsafe(entrySize);
  entry.writeUInt32BE(sum, 0);
  entry.writeUInt32BE(entryCheck(page, sum), 4);
  return entry;
}

function headerOf({ salt1, salt2, frame }: RecordedUpTo): Buffer {
  const header = Buffer.alloc(headerSize);
  header.writeUInt32BE(magic, 0);
  header.writeUInt32BE(salt1, 4);
  header.writeUInt32BE(salt2, 8);
  header.writeUInt32BE(frame, 12);
  header.writeUInt32BE(crc32(header.subarray(0, sumOffset)), sumOffset);
  return header;
}

function readHeader(bytes: Buffer): RecordedUpTo | undefined {
  if (bytes.length < headerSize || bytes.readUInt32BE(0) !== magic) return undefined;
  if (bytes.readUInt32BE(sumOffset) !== crc32(bytes.subarray(0, sumOffset))) return undefined;
  return { salt1: bytes.readUInt32BE(4), salt2: bytes.readUInt32BE(8), frame: bytes.readUInt32BE(12) };
}
