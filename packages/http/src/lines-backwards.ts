import type { FileHandle } from 'node:fs/promises';

/** A line of a file, and where it begins. */
export interface FileLine {
  /** Without the line feed. Undefined for a line that is longer than allowed. */
  readonly bytes: Buffer | undefined;
  readonly start: number;
}

export interface BackwardsOptions {
  /** Lines that begin before it. Default: the end of the file. */
  readonly end?: number | undefined;
  /** Longer lines are left out, and never held in memory. */
  readonly maxLineBytes: number;
}

/** Some lines, and how much of the file was read for them. */
interface ReadPiece {
  readonly lines: readonly FileLine[];
  readonly bytesRead: number;
}

const chunkBytes = 256 * 1024;
const lineFeed = 0x0a;

/** The lines of a file from its end to its beginning, in pieces; empty ones are left out. */
export async function* linesBackwards(
  handle: FileHandle,
  { end, maxLineBytes }: BackwardsOptions,
): AsyncGenerator<ReadPiece> {
  const { size } = await handle.stat();
  let position = Math.min(end ?? size, size);
  const splitter = new LineSplitter(maxLineBytes);
  while (position > 0) {
    const length = Math.min(chunkBytes, position);
    const chunk = Buffer.allocUnsafe(length);
    const { bytesRead } = await handle.read(chunk, 0, length, position - length);
    // Shorter only when the file was cut meanwhile.
    if (bytesRead < length) return;
    position -= length;
    yield { lines: splitter.take(chunk, position), bytesRead };
  }
}

/** Divides chunks that come last first. */
class LineSplitter {
  readonly #maxLineBytes: number;
  /** The end of a line whose beginning is in an earlier chunk. */
  #rest: Buffer = Buffer.alloc(0);
  #isTooLong = false;

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  take(chunk: Buffer, position: number): FileLine[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([chunk, this.#rest]);
    const lines: FileLine[] = [];
    let stop = bytes.length;
    // What is behind the chunk has no line feed.
    for (let at = chunk.lastIndexOf(lineFeed); at >= 0; at = at === 0 ? -1 : chunk.lastIndexOf(lineFeed, at - 1)) {
      this.#add(lines, bytes.subarray(at + 1, stop), position + at + 1);
      stop = at;
    }
    if (position === 0) this.#add(lines, bytes.subarray(0, stop), 0);
    else this.#keep(bytes.subarray(0, stop));
    return lines;
  }

  #add(lines: FileLine[], bytes: Buffer, start: number): void {
    const isTooLong = this.#isTooLong || bytes.length > this.#maxLineBytes;
    this.#isTooLong = false;
    if (bytes.length > 0 || isTooLong) lines.push({ bytes: isTooLong ? undefined : bytes, start });
  }

  #keep(rest: Buffer): void {
    this.#isTooLong ||= rest.length > this.#maxLineBytes;
    this.#rest = this.#isTooLong ? Buffer.alloc(0) : rest;
  }
}
