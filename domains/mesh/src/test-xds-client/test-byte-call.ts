import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { FrameReader, frameMessage } from './test-grpc-frames.ts';

/** How a call ended. */
export interface CallEnd {
  /** gRPC status code; -1 when the connection ended without one. */
  readonly code: number;
  readonly message: string;
}

export interface ByteCallOptions {
  /** Reads nothing from the connection, as a stalled client. Default false. */
  readonly neverReads?: boolean;
  /** Called with each message; messages are then not kept. */
  readonly onMessage?: (message: Buffer) => void;
}

/** A gRPC call of a raw client. Received messages are kept until they are taken. */
export class TestByteCall {
  readonly #call: ClientHttp2Stream;
  readonly #options: ByteCallOptions;
  readonly #frames = new FrameReader();
  readonly #messages: Buffer[] = [];
  #waiters: (() => void)[] = [];
  #headers: Readonly<Record<string, unknown>> = {};
  #end: CallEnd | undefined;

  constructor(session: ClientHttp2Session, method: string, options: ByteCallOptions = {}) {
    this.#options = options;
    const headers = { ':method': 'POST', ':path': method, 'content-type': 'application/grpc', te: 'trailers' };
    this.#call = session.request(headers, { endStream: false });
    this.#call.on('response', answered => this.#note(answered));
    this.#call.on('trailers', trailers => this.#note(trailers));
    this.#call.on('error', () => undefined);
    this.#call.on('close', () => this.#onEnd());
    // The server has finished when its side ends; a gRPC client then closes the call.
    this.#call.on('end', () => this.close());
    if (options.neverReads) this.#call.pause();
    else this.#call.on('data', (piece: Buffer) => this.#onData(piece));
  }

  /** How the call ended; undefined while it is open. */
  get end(): CallEnd | undefined {
    return this.#end;
  }

  send(message: Uint8Array): void {
    this.sendRaw(frameMessage(message));
  }

  /** Sends bytes without framing. */
  sendRaw(bytes: Uint8Array): void {
    this.#call.write(bytes);
  }

  /** The next message that was not taken yet. Rejects when the call ends without one. */
  next(): Promise<Buffer> {
    return this.waitFor(() => this.#messages.shift());
  }

  /** Waits until the function returns a value, calling it after each message. Rejects when the call ends first. */
  async waitFor<T>(look: () => T | undefined, timeoutMs = 5_000): Promise<T> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      if (this.#end) throw new Error(`the call ended: ${this.#end.code} ${this.#end.message}`);
      await this.#somethingNew(deadline - performance.now());
    }
  }

  /** Waits until the call has ended. */
  async ended(timeoutMs = 5_000): Promise<CallEnd> {
    const deadline = performance.now() + timeoutMs;
    while (!this.#end) await this.#somethingNew(deadline - performance.now());
    return this.#end;
  }

  /** Half-closes the call. */
  finish(): void {
    this.#call.end();
  }

  close(): void {
    this.#call.close();
    this.#call.resume();
  }

  #onData(piece: Buffer): void {
    for (const message of this.#frames.push(piece)) {
      if (this.#options.onMessage) this.#options.onMessage(message);
      else this.#messages.push(message);
    }
    this.#wake();
  }

  #note(headers: Readonly<Record<string, unknown>>): void {
    if (headers['grpc-status'] !== undefined || headers[':status'] !== 200) this.#headers = headers;
  }

  #onEnd(): void {
    const { 'grpc-status': code = '-1', 'grpc-message': message = '' } = this.#headers;
    this.#end = { code: Number(code), message: decodeURIComponent(String(message)) };
    this.#wake();
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }

  async #somethingNew(timeoutMs: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('nothing came in time')), Math.max(timeoutMs, 0));
      this.#waiters.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
