import { createReadStream } from 'node:fs';
import { type PassThrough, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import type { ArchiveEntry } from './archive-entry.ts';

/** What of a tar archive is read. */
export interface TarOptions {
  readonly isGzip: boolean;
  /** Bytes of the archive, without compression, after which it is rejected. */
  readonly maxBytes: number;
}

/** Reads the entries of a tar archive. */
export async function* tarEntries(path: string, { isGzip, maxBytes }: TarOptions): AsyncGenerator<ArchiveEntry> {
  const entries = extract();
  const feeding = pipeline([
    createReadStream(path),
    ...(isGzip ? [createGunzip()] : []),
    limitBytes(maxBytes),
    entries as unknown as PassThrough,
  ]);
  // Its failure reaches the loop too, as that of the entries.
  feeding.catch(() => undefined);
  try {
    for await (const source of entries) {
      yield {
        name: source.header.name,
        type: typeOf(source.header),
        content: () => source as AsyncIterable<Uint8Array>,
      };
      source.resume();
    }
    await feeding;
  } finally {
    entries.destroy();
    await feeding.catch(() => undefined);
  }
}

function typeOf({ type }: Header): ArchiveEntry['type'] {
  if (type === 'file' || type === 'contiguous-file') return 'file';
  return type === 'directory' ? 'folder' : 'other';
}

function limitBytes(maxBytes: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) done(new Error(`it has more than ${maxBytes} bytes`));
      else done(null, chunk);
    },
  });
}
