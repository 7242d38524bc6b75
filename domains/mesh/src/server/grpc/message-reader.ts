import { ChandleryError } from '@chandlery/api';
import { frameHeadBytes } from '../../xds/frame-message.ts';

const nothing = Buffer.alloc(0);

/**
 * Cuts the messages of a gRPC stream out of its bytes, however these come in. A message that comes in one piece is not
 * copied; for one that does not, there is never more room than four times what has come of it.
 */
export class MessageReader {
  readonly #maxBytes: number;
  #bytes: Buffer = nothing;
  #start = 0;
  #end = 0;
  /** Whether nobody else has the bytes. */
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

  /** The next message; undefined when it has not come completely. Throws `MessageTooLong`, `InvalidMessage`. */
  next(): Buffer | undefined {
    if (this.#end - this.#start < frameHeadBytes) return undefined;
    const length = this.#bytes.readUInt32BE(this.#start + 1);
    if (length > this.#maxBytes) throw tooLong(length, this.#maxBytes);
    if (this.#bytes[this.#start] !== 0) throw compressed();
    const start = this.#start + frameHeadBytes;
    if (this.#end - start < length) return undefined;
    const message = this.#bytes.subarray(start, start + length);
    this.#start = start + length;
    // A stream may now be silent for hours; its last bytes are not kept for so long.
    if (this.#start === this.#end) this.#takeOver(nothing);
    return message;
  }

  /** How long the frame is that has begun to come; 0 while that is not known. */
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
  new ChandleryError('MessageTooLong', `a message of ${length} bytes is longer than the ${maxBytes} that are allowed`);

const compressed = (): ChandleryError =>
  new ChandleryError('InvalidMessage', 'a message is compressed, or is none', { hint: 'Send messages as they are' });
