import { closeSync, openSync, readSync } from 'node:fs';

/** The database's page size. SQLite's default, which nothing here changes. */
export const pageSize = 4096;

const headerSize = 32;
const frameHeaderSize = 24;
const frameSize = frameHeaderSize + pageSize;
const magicLittleEndian = 0x37_7f_06_82;
const framesPerRead = 256;

/** A position in the write-ahead log: a frame of one generation, and SQLite's cumulative checksum up to it. */
export interface WalPosition {
  /** The salts distinguish generations of the log; the first one rises by 1 whenever the log restarts. */
  readonly salt1: number;
  readonly salt2: number;
  /** Counted from 1; 0 before the first. */
  readonly frame: number;
  readonly sum1: number;
  readonly sum2: number;
}

/** One valid frame: the content of a page. */
export interface WalFrame extends WalPosition {
  readonly page: number;
  /** The database's size in pages if the frame ends a transaction, otherwise 0. */
  readonly commitSize: number;
  /** Valid until the next frame is asked for. */
  readonly content: Uint8Array;
}

/** Reads a write-ahead log the way SQLite recovers it: https://sqlite.org/fileformat2.html#the_write_ahead_log */
export class WalFile implements Disposable {
  readonly #file: number;
  /** Undefined when the header is damaged or missing, so that SQLite takes the log for empty. */
  readonly header: WalPosition | undefined;

  constructor(path: string) {
    this.#file = openSync(path, 'r');
    this.header = this.#readHeader();
  }

  /** The frames that belong to the log, in order, up to the first whose salts or checksum are wrong. */
  *frames(): Generator<WalFrame> {
    if (this.header === undefined) return;
    const { salt1, salt2 } = this.header;
    let { sum1, sum2 } = this.header;
    const buffer = Buffer.alloc(framesPerRead * frameSize);
    for (let first = 0; ; first += framesPerRead) {
      const length = readFully(this.#file, buffer, headerSize + first * frameSize);
      for (let index = 0; (index + 1) * frameSize <= length; index++) {
        const frame = buffer.subarray(index * frameSize, (index + 1) * frameSize);
        if (frame.readUInt32BE(8) !== salt1 || frame.readUInt32BE(12) !== salt2) return;
        [sum1, sum2] = addWords(addWords([sum1, sum2], frame.subarray(0, 8)), frame.subarray(frameHeaderSize));
        if (frame.readUInt32BE(16) !== sum1 || frame.readUInt32BE(20) !== sum2) return;
        yield {
          ...{ salt1, salt2, sum1, sum2, frame: first + index + 1 },
          page: frame.readUInt32BE(0),
          commitSize: frame.readUInt32BE(4),
          content: frame.subarray(frameHeaderSize),
        };
      }
      if (length < buffer.length) return;
    }
  }

  /** Where a frame stands by its own header, without verifying what comes before it. */
  positionOf(frame: number): WalPosition | undefined {
    if (frame === 0) return this.header && { ...this.header, frame: 0 };
    const head = Buffer.allocUnsafe(frameHeaderSize);
    const length = readSync(this.#file, head, 0, frameHeaderSize, headerSize + (frame - 1) * frameSize);
    if (length < frameHeaderSize) return undefined;
    return {
      frame,
      salt1: head.readUInt32BE(8),
      salt2: head.readUInt32BE(12),
      sum1: head.readUInt32BE(16),
      sum2: head.readUInt32BE(20),
    };
  }

  /** Frames `from` + 1 to `to` without verification, for those who know that SQLite has just used them. */
  *rawFrames(from: number, to: number): Generator<Pick<WalFrame, 'page' | 'content'>> {
    const buffer = Buffer.alloc(framesPerRead * frameSize);
    for (let next = from; next < to; next += framesPerRead) {
      const wanted = Math.min(framesPerRead, to - next) * frameSize;
      const length = readFully(this.#file, buffer.subarray(0, wanted), headerSize + next * frameSize);
      if (length < wanted) throw new Error(`the write-ahead log ends before frame ${to}`);
      for (let offset = 0; offset < wanted; offset += frameSize) {
        yield {
          page: buffer.readUInt32BE(offset),
          content: buffer.subarray(offset + frameHeaderSize, offset + frameSize),
        };
      }
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  #readHeader(): WalPosition | undefined {
    const header = Buffer.alloc(headerSize);
    if (readFully(this.#file, header, 0) < headerSize) return undefined;
    const isKnown = header.readUInt32BE(0) === magicLittleEndian && header.readUInt32BE(8) === pageSize;
    const [sum1, sum2] = addWords([0, 0], header.subarray(0, 24));
    if (!isKnown || header.readUInt32BE(24) !== sum1 || header.readUInt32BE(28) !== sum2) return undefined;
    return { salt1: header.readUInt32BE(16), salt2: header.readUInt32BE(20), frame: 0, sum1, sum2 };
  }
}

/** Reads until the buffer is full or the file ends; returns how many bytes there were. */
export function readFully(file: number, buffer: Uint8Array, position: number): number {
  let length = 0;
  while (length < buffer.length) {
    const read = readSync(file, buffer, length, buffer.length - length, position + length);
    if (read === 0) break;
    length += read;
  }
  return length;
}

/** SQLite's checksum of the log. Words are little-endian, as the magic number of such a log says. */
function addWords([first, second]: readonly [number, number], bytes: Uint8Array): [number, number] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let [sum1, sum2] = [first, second];
  for (let offset = 0; offset < bytes.length; offset += 8) {
    sum1 = (sum1 + view.getUint32(offset, true) + sum2) >>> 0;
    sum2 = (sum2 + view.getUint32(offset + 4, true) + sum1) >>> 0;
  }
  return [sum1, sum2];
}
