import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import type { StreamPort } from '../xds/messages.ts';
import type { CallStatus } from './status-of.ts';

/** A call that carries messages both ways, encoded by those who use it. */
export type ByteCall = ServerDuplexStream<Buffer, Buffer>;

export interface CallPortOptions {
  readonly call: ByteCall;
  /** More unsent bytes than this and the client is slow. */
  readonly highWaterBytes: number;
  /** Called when an ended call is still open after `endTimeoutMs`, because its client reads nothing. */
  readonly cutOff: () => void;
  readonly endTimeoutMs: number;
}

/** Writes to a call, and knows how much of it the client has not taken yet. */
export class CallPort implements StreamPort {
  readonly #options: CallPortOptions;
  #unsentBytes = 0;
  #isEnded = false;
  #onDrain: (() => void) | undefined;
  #cutOffTimer: NodeJS.Timeout | undefined;

  constructor(options: CallPortOptions) {
    this.#options = options;
    options.call.once('cancelled', () => this.#onClosed());
  }

  /** Whether nothing more can be sent. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  send(message: Uint8Array): boolean {
    if (this.#isEnded) return true;
    const buffer = asBuffer(message);
    this.#unsentBytes += buffer.length;
    this.#options.call.write(buffer, () => this.#onSent(buffer.length));
    return this.#unsentBytes <= this.#options.highWaterBytes;
  }

  onDrain(callback: () => void): void {
    this.#onDrain = callback;
  }

  end({ code, message }: { readonly code: CallStatus['code']; readonly message: string }): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#options.call.emit('error', { code: status[code], details: message });
    this.#cutOffTimer = setTimeout(this.#options.cutOff, this.#options.endTimeoutMs).unref();
  }

  /** Ends a call that has gone well. */
  finish(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#options.call.end();
  }

  #onSent(bytes: number): void {
    this.#unsentBytes -= bytes;
    if (this.#unsentBytes > this.#options.highWaterBytes) return;
    const onDrain = this.#onDrain;
    this.#onDrain = undefined;
    onDrain?.();
  }

  #onClosed(): void {
    this.#isEnded = true;
    clearTimeout(this.#cutOffTimer);
  }
}

/** The same bytes: one encoding serves many calls. */
export const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
