import { type FrameHead, headBytes, writeHead } from './http2-frames.ts';

/** Collects frames for a single write. */
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

  /** Returns a copy of all frames since the last call. */
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
