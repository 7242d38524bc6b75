import type { ServerHttp2Stream } from 'node:http2';
import type { StreamPort } from '../../xds/messages.ts';
import { type grpcCodes, responseHeaders, statusTrailers } from './grpc-status.ts';
import { isClosed, respondOnce } from './respond-once.ts';

export interface CallPortOptions {
  readonly stream: ServerHttp2Stream;
  /** A client with more unsent bytes is slow. */
  readonly highWaterBytes: number;
  /** Called when an ended call is still open after `endTimeoutMs`, because its client does not read. */
  readonly forceClose: () => void;
  readonly endTimeoutMs: number;
  /** Called when the status of the call has been sent. */
  readonly onDone: () => void;
}

/** The response side of a call, with back-pressure. */
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

  /** Sends the headers. Returns false when the client has disconnected. */
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
    this.#sendTrailers(statusTrailers(code, message));
  }

  /** Ends a successful call. */
  finish(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (!isClosed(this.#options.stream)) this.#sendTrailers(statusTrailers('OK', ''));
  }

  /** To be called when the HTTP/2 stream has closed. */
  close(): void {
    this.#isEnded = true;
    clearTimeout(this.#forceCloseTimer);
  }

  /** Sends the trailers after all messages, or as the only response when there were none. */
  #sendTrailers(trailers: Record<string, string>): void {
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
