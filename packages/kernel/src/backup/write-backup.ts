import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import type { Snapshot } from '../store/store.ts';
import { type BackupExtras, formatExtras, formatHeader, formatObject, formatTrailer } from './backup-format.ts';

/** Small lines travel together: a call of the compressor costs more than a line. */
const chunkLength = 128 * 1024;

/**
 * A snapshot and what belongs to it as a portable file, the same for every driver.
 *
 * Reads the snapshot no faster than the result is taken. Ending the iteration early ends that of the snapshot too.
 */
export async function* writeBackup(
  snapshot: Snapshot,
  { createdAt, ...extras }: BackupExtras & { readonly createdAt: Date },
): AsyncGenerator<Uint8Array> {
  const head = [formatHeader(snapshot.revision, createdAt), formatExtras(extras)];
  // The fast level: a server that is at work writes it, and the better ones save little on such text.
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  // The reader of the pipeline's end gets its result; the callback has nothing to add.
  pipeline(Readable.from(inChunks(backupText(snapshot, head))), gzip, () => {});
  yield* gzip as AsyncIterable<Buffer>;
}

/** All lines, the trailer last. */
async function* backupText(snapshot: Snapshot, head: readonly string[]): AsyncGenerator<string> {
  const hash = createHash('sha256');
  let count = 0;
  const hashed = (text: string): string => {
    hash.update(text);
    return text;
  };
  yield hashed(head.map(line => `${line}\n`).join(''));
  for await (const batch of snapshot.objects) {
    for (const object of batch) yield hashed(`${formatObject(object)}\n`);
    count += batch.length;
  }
  yield `${formatTrailer({ count, sha256: hash.digest('hex') })}\n`;
}

async function* inChunks(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let pending = '';
  for await (const text of texts) {
    pending += text;
    if (pending.length < chunkLength) continue;
    yield Buffer.from(pending);
    pending = '';
  }
  if (pending !== '') yield Buffer.from(pending);
}
