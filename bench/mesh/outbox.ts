import { type FrameHead, headBytes, writeHead } from './http2-frames.ts';

/** Gathers frames, so that they go out in one write. */
export class Outbox {
  #bytes = Buffer.allocUnsafeSlow(64 * 1024);
  #length = 0;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  add(head: FrameHead, payload: Uint8Array): void {
    this.#makeRoom(headBytes + payload.length);
    writeHead(this.#bytes, this.#length, head, payload.length);
    this.#bytes.set(payload, this.#length + headBytes);
    this.#length += headBytes + payload.length;
  }

  /** All that was added since the last time, in bytes of its own. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#length + bytes));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
