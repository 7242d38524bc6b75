import { ChandleryError } from '@chandlery/api';
import { defaultFrameBytes, defaultWindowBytes } from './http2-frames.ts';

/**
 * Flow control windows of the server, by connection and stream. The clients send so little that they never wait: an
 * exhausted window is an error.
 */
export class SendWindows {
  #connection = defaultWindowBytes;
  #initial = defaultWindowBytes;
  /** By stream. */
  readonly #streams = new Map<number, number>();

  open(streamId: number): void {
    this.#streams.set(streamId, this.#initial);
  }

  /** Throws `NoRoom`. */
  spend(streamId: number, bytes: number): void {
    if (bytes > defaultFrameBytes) throw noRoom(bytes, 'a frame has');
    const left = this.#leftOn(streamId) - bytes;
    this.#connection -= bytes;
    if (left < 0) throw noRoom(bytes, `stream ${streamId} has`);
    if (this.#connection < 0) throw noRoom(bytes, 'the connection has');
    this.#streams.set(streamId, left);
  }

  /** @param streamId 0 for the connection */
  grow(streamId: number, bytes: number): void {
    if (streamId === 0) this.#connection += bytes;
    else this.#streams.set(streamId, this.#leftOn(streamId) + bytes);
  }

  /** Sets the initial window; it also applies to open streams (RFC 9113, section 6.9.2). */
  setInitial(bytes: number): void {
    const more = bytes - this.#initial;
    this.#initial = bytes;
    for (const [streamId, left] of this.#streams) this.#streams.set(streamId, left + more);
  }

  #leftOn(streamId: number): number {
    return this.#streams.get(streamId) ?? 0;
  }
}

const noRoom = (bytes: number, who: string): ChandleryError =>
  new ChandleryError('NoRoom', `cannot send ${bytes} bytes: ${who} no room for them`);
