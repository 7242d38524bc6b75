import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { JsonObject } from '@chandlery/api';
import type { Snapshot, SnapshotObject } from '../store/store.ts';
import { backupCorrupted, backupTruncated } from './backup-errors.ts';
import { type BackupHeader, type BackupTrailer, parseBodyLine, parseExtras, parseHeader } from './backup-format.ts';
import { backupLines } from './backup-lines.ts';

/** A backup being read. */
export interface Backup {
  readonly header: BackupHeader;
  /** The landscape's keys, as they were given to `writeBackup`. */
  readonly keys: JsonObject;
  readonly facts: Readonly<Record<string, string>>;
  /** To be iterated once. Rejects at its end when the file turns out to be incomplete or damaged. */
  readonly snapshot: Snapshot;
}

/** What a whole and sound backup holds. */
export interface BackupSummary {
  readonly header: BackupHeader;
  readonly count: number;
}

const batchSize = 500;

/** A file as a source that can be read several times: once to verify, once to load. */
export const backupFile = (path: string): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => createReadStream(path)[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>,
});

/** Reads a whole backup and throws it away. Rejects with one of `backupErrorCodes` unless all of it is as it was written. */
export async function verifyBackup(source: AsyncIterable<Uint8Array>): Promise<BackupSummary> {
  const { header, snapshot } = await readBackup(source);
  let count = 0;
  for await (const batch of snapshot.objects) count += batch.length;
  return { header, count };
}

/**
 * Opens a backup: header and keys at once, objects as they are asked for, a batch at a time.
 *
 * The checksum stands at the end, so objects come before they are proven: load them in one transaction, or better
 * {@link verifyBackup} first.
 */
export async function readBackup(source: AsyncIterable<Uint8Array>): Promise<Backup> {
  const lines = backupLines(source);
  const hash = createHash('sha256');
  try {
    const header = parseHeader(await nextLine(lines, hash));
    const extras = parseExtras(await nextLine(lines, hash));
    return { header, ...extras, snapshot: { revision: header.revision, objects: objectBatches(lines, hash) } };
  } catch (failure) {
    await lines.return(undefined);
    throw failure;
  }
}

async function nextLine(lines: AsyncGenerator<Buffer>, hash: Hash): Promise<string> {
  const next: IteratorResult<Buffer, unknown> = await lines.next();
  if (next.done) throw backupTruncated();
  addLine(hash, next.value);
  return next.value.toString();
}

function addLine(hash: Hash, line: Buffer): void {
  hash.update(line);
  hash.update('\n');
}

async function* objectBatches(lines: AsyncGenerator<Buffer>, hash: Hash): AsyncGenerator<readonly SnapshotObject[]> {
  let batch: SnapshotObject[] = [];
  let count = 0;
  let trailer: BackupTrailer | undefined;
  for await (const line of lines) {
    if (trailer !== undefined) throw backupCorrupted('something follows its last line');
    const parsed = parseBodyLine(line.toString());
    if (parsed.type === 'trailer') {
      trailer = parsed.trailer;
      continue;
    }
    addLine(hash, line);
    count++;
    batch.push(parsed.object);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  checkTrailer(trailer, { count, sha256: hash.digest('hex') });
  // Only now: the last batch of a damaged file is never handed out.
  if (batch.length > 0) yield batch;
}

function checkTrailer(trailer: BackupTrailer | undefined, found: BackupTrailer): void {
  if (trailer === undefined) throw backupTruncated();
  if (trailer.count !== found.count) {
    throw backupCorrupted(`it should hold ${trailer.count} objects and holds ${found.count}`);
  }
  if (trailer.sha256 !== found.sha256) throw backupCorrupted('its checksum does not match its contents');
}
