import { ChandleryError } from '@chandlery/api';
import { frameHeadBytes } from '../../xds/frame-message.ts';

const nothing = Buffer.alloc(0);

/**
 * Splits the bytes of a gRPC stream into messages. A message that arrives in one chunk is not copied; the buffer for
 * others has at most four times the size of the received part.
 */
export class MessageReader {
  readonly #maxBytes: number;
  #bytes: Buffer = nothing;
  #start = 0;
  #end = 0;
  /** Whether the buffer is exclusively owned. */
  #isOwn = false;

  /** @param maxBytes of one message */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(piece: Buffer): void {
    if (this.#start === this.#end) return this.#takeOver(piece);
    this.#makeRoom(piece.length);
    this.#bytes.set(piece, this.#end);
    this.#end += piece.length;
  }

  /** Returns the next complete message, or undefined. Throws `MessageTooLong`, `InvalidMessage`. */
  next(): Buffer | undefined {
    if (this.#end - this.#start < frameHeadBytes) return undefined;
    const length = this.#bytes.readUInt32BE(this.#start + 1);
    if (length > this.#maxBytes) throw tooLong(length, this.#maxBytes);
    if (this.#bytes[this.#start] !== 0) throw compressed();
    const start = this.#start + frameHeadBytes;
    if (this.#end - start < length) return undefined;
    const message = this.#bytes.subarray(start, start + length);
    this.#start = start + length;
    // Releases the buffer, because an idle stream may stay open for hours.
    if (this.#start === this.#end) this.#takeOver(nothing);
    return message;
  }

  /** Length of the incomplete frame; 0 while its head is incomplete. */
  get #wholeFrame(): number {
    if (this.#end - this.#start < frameHeadBytes) return 0;
    return frameHeadBytes + this.#bytes.readUInt32BE(this.#start + 1);
  }

  #takeOver(piece: Buffer): void {
    this.#bytes = piece;
    this.#start = 0;
    this.#end = piece.length;
    this.#isOwn = false;
  }

  #makeRoom(length: number): void {
    if (this.#isOwn && this.#end + length <= this.#bytes.length) return;
    const unread = this.#end - this.#start;
    const bytes = Buffer.allocUnsafeSlow(Math.max(unread + length, Math.min(4 * unread, this.#wholeFrame)));
    this.#bytes.copy(bytes, 0, this.#start, this.#end);
    this.#bytes = bytes;
    this.#start = 0;
    this.#end = unread;
    this.#isOwn = true;
  }
}

const tooLong = (length: number, maxBytes: number): ChandleryError =>
  new ChandleryError('MessageTooLong', `a message of ${length} bytes exceeds the limit of ${maxBytes}`);

const compressed = (): ChandleryError =>
  new ChandleryError('InvalidMessage', 'a message is compressed or invalid', {
    hint: 'Send messages without compression',
  });
