import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { backupCorrupted, backupTruncated, notABackup } from './backup-errors.ts';

/** No object is nearly as long; a longer line means that the file is something else, and must not fill the memory. */
const maxLine = 64 * 1024 * 1024;

const newline = 0x0a;

/**
 * The lines of a gzipped file, without their line ends, as they come out of the decompressor. Takes from the source no
 * faster than the lines are read, and lets go of it when the reader stops early.
 */
export async function* backupLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  const input = Readable.from(source, { objectMode: false });
  // An error of the source must reach the reader; pipe alone would leave him waiting.
  input.on('error', failure => gunzip.destroy(new SourceFailure(failure)));
  input.pipe(gunzip);
  try {
    yield* splitLines(gunzip as AsyncIterable<Buffer>);
  } catch (failure) {
    throw readFailure(failure);
  } finally {
    input.destroy();
    gunzip.destroy();
  }
}

class SourceFailure extends Error {
  constructor(cause: unknown) {
    super('the source failed', { cause });
  }
}

async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pending: Buffer[] = [];
  let pendingLength = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      yield Buffer.concat([...pending, chunk.subarray(start, end)]);
      [pending, pendingLength] = [[], 0];
      start = end + 1;
    }
    if (start === chunk.length) continue;
    pending.push(chunk.subarray(start));
    pendingLength += chunk.length - start;
    if (pendingLength > maxLine) throw backupCorrupted('a line in it has no end');
  }
  if (pendingLength > 0) throw backupTruncated();
}

/** Distinguishes a truncated, a damaged and a wrong file; failures of the source itself stay as they are. */
function readFailure(failure: unknown): unknown {
  if (failure instanceof SourceFailure) return failure.cause;
  const { code, message } = failure as NodeJS.ErrnoException;
  switch (code) {
    case 'Z_BUF_ERROR':
      return backupTruncated(failure);
    case 'Z_DATA_ERROR':
      return message === 'incorrect header check'
        ? notABackup('it is not compressed', failure)
        : backupCorrupted(message, failure);
    default:
      return failure;
  }
}
