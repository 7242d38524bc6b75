import { ChandleryError } from '@chandlery/api';
import { type FrameHead, frameFlags, frameTypes, headBytes, readHead, readLength } from './http2-frames.ts';

/** Receives the frames of a server. Bytes are reused after the call. */
export interface FrameSink {
  /** Called with a piece of the DATA frames of a stream. */
  onData(streamId: number, piece: Buffer): void;
  /** Called with any other frame. */
  onFrame(head: FrameHead, payload: Buffer): void;
}

const nothing = Buffer.alloc(0);

/**
 * Splits the bytes of a server into frames. DATA is forwarded as it arrives, without a copy; only an incomplete head or
 * other frame is buffered.
 */
export class FrameReader {
  readonly #sink: FrameSink;
  #rest: Buffer = nothing;
  /** The stream of the current DATA frame, and its remaining length. */
  #dataStreamId = 0;
  #dataLeft = 0;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  push(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let position = 0;
    for (let next = this.#read(bytes, 0); next > position; next = this.#read(bytes, position)) position = next;
    this.#rest = position === bytes.length ? nothing : Buffer.from(bytes.subarray(position));
  }

  /** Returns the position of the next item: the same position when this one is incomplete. */
  #read(bytes: Buffer, position: number): number {
    if (this.#dataLeft > 0) return this.#readData(bytes, position);
    const start = position + headBytes;
    if (start > bytes.length) return position;
    const length = readLength(bytes, position);
    const head = readHead(bytes, position);
    if (head.type === frameTypes.data) {
      this.#beginData(head, length);
      return start;
    }
    if (start + length > bytes.length) return position;
    this.#sink.onFrame(head, bytes.subarray(start, start + length));
    return start + length;
  }

  #beginData({ streamId, flags }: FrameHead, length: number): void {
    if (flags & frameFlags.endStream) throw streamEnded(streamId);
    if (flags & frameFlags.padded) throw new ChandleryError('ConnectionBroken', 'the server pads frames');
    this.#dataStreamId = streamId;
    this.#dataLeft = length;
  }

  #readData(bytes: Buffer, position: number): number {
    const end = Math.min(position + this.#dataLeft, bytes.length);
    if (end === position) return position;
    this.#dataLeft -= end - position;
    this.#sink.onData(this.#dataStreamId, bytes.subarray(position, end));
    return end;
  }
}

export const streamEnded = (streamId: number): ChandleryError =>
  new ChandleryError('ConnectionBroken', `the server ended stream ${streamId}`);
