import { ChandleryError } from '@chandlery/api';
import { frameHeadBytes as prefixBytes } from '../../domains/mesh/src/xds/frame-message.ts';
import type { SpareBuffers } from './spare-buffers.ts';

const nothing = Buffer.alloc(0);

/** Assembles the gRPC messages of a stream. A message within one piece is not copied. */
export class MessageAssembler {
  readonly #spares: SpareBuffers;
  readonly #onMessage: (message: Buffer) => void;
  /** The received part of an incomplete message, including its prefix. */
  #begun: Buffer = nothing;
  #begunBytes = 0;

  /** @param onMessage is called with each message, whose bytes are reused after the call */
  constructor(spares: SpareBuffers, onMessage: (message: Buffer) => void) {
    this.#spares = spares;
    this.#onMessage = onMessage;
  }

  push(piece: Buffer): void {
    let start = 0;
    while (start < piece.length) {
      start = this.#begunBytes === 0 ? this.#begin(piece, start) : this.#goOn(piece, start);
    }
  }

  /** Like {@link #goOn}, returns the position of the next item. */
  #begin(piece: Buffer, start: number): number {
    const left = piece.length - start;
    const known = left < prefixBytes ? prefixBytes : wholeBytes(piece, start);
    if (left < known) {
      this.#begun = this.#spares.take(known);
      return this.#goOn(piece, start);
    }
    this.#onMessage(piece.subarray(start + prefixBytes, start + known));
    return start + known;
  }

  /** Reads the missing part of the prefix or of the message. */
  #goOn(piece: Buffer, start: number): number {
    const wanted = this.#begunBytes < prefixBytes ? prefixBytes : wholeBytes(this.#begun, 0);
    const end = Math.min(start + wanted - this.#begunBytes, piece.length);
    piece.copy(this.#begun, this.#begunBytes, start, end);
    this.#begunBytes += end - start;
    if (this.#begunBytes >= prefixBytes) this.#finishOrMakeRoom(wholeBytes(this.#begun, 0));
    return end;
  }

  #finishOrMakeRoom(whole: number): void {
    if (this.#begunBytes === whole) this.#finish();
    else if (this.#begun.length < whole) this.#makeRoom(whole);
  }

  #finish(): void {
    const [begun, length] = [this.#begun, this.#begunBytes];
    this.#begun = nothing;
    this.#begunBytes = 0;
    this.#onMessage(begun.subarray(prefixBytes, length));
    this.#spares.giveBack(begun);
  }

  #makeRoom(whole: number): void {
    const larger = this.#spares.take(whole);
    this.#begun.copy(larger, 0, 0, this.#begunBytes);
    this.#spares.giveBack(this.#begun);
    this.#begun = larger;
  }
}

/** Length of a message with its prefix, which must be complete. */
function wholeBytes(bytes: Buffer, start: number): number {
  if (bytes[start] !== 0) throw new ChandleryError('ConnectionBroken', 'a message is compressed, or is none');
  return prefixBytes + bytes.readUInt32BE(start + 1);
}
