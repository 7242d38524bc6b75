import type { ServerHttp2Stream } from 'node:http2';
import type { StreamPort } from '../../xds/messages.ts';
import { type grpcCodes, responseHeaders, statusTrailers } from './grpc-status.ts';
import { isClosed, respondOnce } from './respond-once.ts';

export interface CallPortOptions {
  readonly stream: ServerHttp2Stream;
  /** More unsent bytes than this and the client is slow. */
  readonly highWaterBytes: number;
  /** Called when an ended call is still open after `endTimeoutMs`, because its client reads nothing. */
  readonly forceClose: () => void;
  readonly endTimeoutMs: number;
  /** Called when the client has been told how the call ended. */
  readonly onDone: () => void;
}

/** Writes to a call, and knows how much of it the client has not taken yet. */
export class CallPort implements StreamPort {
  readonly #options: CallPortOptions;
  #hasBegun = false;
  #isEnded = false;
  #onDrain: (() => void) | undefined;
  #forceCloseTimer: NodeJS.Timeout | undefined;

  constructor(options: CallPortOptions) {
    this.#options = options;
  }

  /** Whether nothing more can be sent. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  send(frame: Uint8Array): boolean {
    const { stream, highWaterBytes } = this.#options;
    if (this.#isEnded || !this.#begin()) return true;
    if (stream.writableLength + frame.length <= highWaterBytes) {
      stream.write(frame);
      return true;
    }
    stream.write(frame, () => this.#onSent());
    return false;
  }

  /** False when the client has gone before it was answered. */
  #begin(): boolean {
    const { stream } = this.#options;
    if (this.#hasBegun) return true;
    if (isClosed(stream)) return false;
    this.#hasBegun = true;
    stream.respond(responseHeaders, { waitForTrailers: true });
    return true;
  }

  onDrain(callback: () => void): void {
    this.#onDrain = callback;
  }

  end({ code, message }: { readonly code: keyof typeof grpcCodes; readonly message: string }): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const { stream, forceClose, endTimeoutMs } = this.#options;
    if (isClosed(stream)) return;
    if (this.#hasBegun) this.#forceCloseTimer = setTimeout(forceClose, endTimeoutMs).unref();
    this.#tell(statusTrailers(code, message));
  }

  /** Ends a call that has gone well. */
  finish(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (!isClosed(this.#options.stream)) this.#tell(statusTrailers('OK', ''));
  }

  /** To be called when the call is over. */
  close(): void {
    this.#isEnded = true;
    clearTimeout(this.#forceCloseTimer);
  }

  /** After all that was sent, or in the only answer when nothing was. */
  #tell(trailers: Record<string, string>): void {
    const { stream, onDone } = this.#options;
    if (!this.#hasBegun) {
      respondOnce(stream, { ...responseHeaders, ...trailers });
      onDone();
      return;
    }
    stream.once('wantTrailers', () => {
      if (!isClosed(stream)) stream.sendTrailers(trailers);
      onDone();
    });
    stream.end();
  }

  #onSent(): void {
    if (this.#options.stream.writableLength > this.#options.highWaterBytes) return;
    const onDrain = this.#onDrain;
    this.#onDrain = undefined;
    onDrain?.();
  }
}
