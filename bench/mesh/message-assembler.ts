import { ChandleryError } from '@chandlery/api';
import { frameHeadBytes as prefixBytes } from '../../domains/mesh/src/xds/frame-message.ts';
import type { SpareBuffers } from './spare-buffers.ts';

const nothing = Buffer.alloc(0);

/** Makes the gRPC messages of a stream out of its pieces. One that is whole in a piece is not copied. */
export class MessageAssembler {
  readonly #spares: SpareBuffers;
  readonly #onMessage: (message: Buffer) => void;
  /** What has come of a message that is not whole yet, prefix and all. */
  #begun: Buffer = nothing;
  #begunBytes = 0;

  /** @param onMessage is lent each message: its bytes are others after the call */
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

  /** Like {@link #goOn}, returns where the next thing begins. */
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

  /** Takes what is missing of the prefix or, once that is there, of the message. */
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

/** How long a message is together with its prefix, which must be there. */
function wholeBytes(bytes: Buffer, start: number): number {
  if (bytes[start] !== 0) throw new ChandleryError('ConnectionBroken', 'a message is compressed, or is none');
  return prefixBytes + bytes.readUInt32BE(start + 1);
}
