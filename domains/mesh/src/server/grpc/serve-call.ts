import type { ServerHttp2Stream } from 'node:http2';
import { ChandleryError } from '@chandlery/api';
import type { Logger } from '@chandlery/platform';
import { clientDisconnected } from '../../errors.ts';
import type { ServerMetrics } from '../../metrics.ts';
import type { Connection, OpenCall } from '../connections/connection.ts';
import { CallPort } from './call-port.ts';
import { type CallStatus, callStatusOf } from './call-status.ts';
import { MessageReader } from './message-reader.ts';

/** The handler of one call. An error that it throws ends the call. */
export interface CallSession {
  /** Called with the next message after the previous one is handled. */
  onMessage(message: Buffer): void | Promise<void>;
  /** Called when the client has sent its last message. Default: the call succeeds. */
  onHalfClose?(): void | Promise<void>;
  /** Called once, however the call ends. */
  close(): void;
}

export interface CallContext {
  readonly method: string;
  readonly connection: Connection;
  readonly port: CallPort;
  readonly call: OpenCall;
  /** Aborts when the call has ended. */
  readonly signal: AbortSignal;
}

/** Creates the handler of a call. */
export type BeginCall = (context: CallContext) => CallSession;

export interface ServeCallOptions {
  readonly logger: Logger;
  readonly metrics: ServerMetrics;
  readonly maxRequestBytes: number;
  /** See {@link CallPort}. */
  readonly highWaterBytes: number;
  readonly endTimeoutMs: number;
}

/** An accepted call. */
export interface IncomingCall {
  readonly stream: ServerHttp2Stream;
  readonly method: string;
  readonly connection: Connection;
  /** Deadline of the client. Default: none. */
  readonly timeoutMs?: number;
}

/** Serves a call with a session of its own. */
export function serveCall(call: IncomingCall, begin: BeginCall, options: ServeCallOptions): void {
  new ServedCall(call, options).start(begin, call.timeoutMs);
}

/** Logs and counts a failure, and returns its status. */
export function reportFailure(
  error: unknown,
  { logger, metrics }: Pick<ServeCallOptions, 'logger' | 'metrics'>,
): CallStatus {
  const status = callStatusOf(error);
  metrics.rejectedCalls.with({ code: status.code }).inc();
  if (status.code === 'INTERNAL') logger.error('a call failed', { error });
  else logger.debug('a call was rejected', { code: status.code, why: status.details });
  return status;
}

class ServedCall implements OpenCall, CallContext {
  readonly method: string;
  readonly connection: Connection;
  readonly port: CallPort;
  readonly #stream: ServerHttp2Stream;
  readonly #options: ServeCallOptions;
  readonly #reader: MessageReader;
  #session: CallSession | undefined;
  #abort: AbortController | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #isBusy = false;
  #hasToFinish = false;
  #isClosed = false;

  constructor({ stream, method, connection }: IncomingCall, options: ServeCallOptions) {
    this.method = method;
    this.connection = connection;
    this.#stream = stream;
    this.#options = options;
    this.#reader = new MessageReader(options.maxRequestBytes);
    const { highWaterBytes, endTimeoutMs } = options;
    const forceClose = (): void => void connection.socket.destroy();
    this.port = new CallPort({ stream, highWaterBytes, endTimeoutMs, forceClose, onDone: () => this.#onClosed() });
    connection.calls.add(this);
    stream.once('close', () => this.#onClosed());
  }

  get call(): OpenCall {
    return this;
  }

  /** Created on demand: most calls do not use it. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#isClosed) this.#abort.abort(clientDisconnected());
    return this.#abort.signal;
  }

  start(begin: BeginCall, timeoutMs: number | undefined): void {
    try {
      this.#session = begin(this);
    } catch (error) {
      this.end(error);
    }
    // Data after the end is read and discarded; it would otherwise block the flow control of other calls.
    this.#stream.on('data', (piece: Buffer) => this.#onData(piece));
    this.#stream.once('end', () => this.#onHalfClose());
    if (timeoutMs !== undefined) this.#deadline = setTimeout(() => this.end(tooLate()), timeoutMs).unref();
  }

  end(error: ChandleryError | unknown): void {
    if (this.port.isEnded) return;
    const { code, details } = reportFailure(error, this.#options);
    this.port.end({ code, message: details });
  }

  #onData(piece: Buffer): void {
    if (this.port.isEnded) return;
    this.#reader.push(piece);
    this.#proceed();
  }

  #onHalfClose(): void {
    this.#hasToFinish = true;
    this.#proceed();
  }

  /** Handles the received messages until one of them is asynchronous. */
  #proceed(): void {
    try {
      while (!this.#isBusy && !this.port.isEnded) {
        const message = this.#reader.next();
        if (message === undefined) break;
        this.#waitFor(this.#session?.onMessage(message));
      }
      if (this.#hasToFinish && !this.#isBusy && !this.port.isEnded) this.#finish();
    } catch (error) {
      this.end(error);
    }
  }

  #finish(): void {
    this.#hasToFinish = false;
    if (this.#session?.onHalfClose) this.#waitFor(this.#session.onHalfClose());
    else this.port.finish();
  }

  #waitFor(done: void | Promise<void>): void {
    if (!done) return;
    this.#isBusy = true;
    this.#stream.pause();
    done.then(
      () => this.#continue(),
      (error: unknown) => {
        this.end(error);
        this.#continue();
      },
    );
  }

  #continue(): void {
    this.#isBusy = false;
    this.#proceed();
    if (!this.#isBusy) this.#stream.resume();
  }

  #onClosed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.port.close();
    clearTimeout(this.#deadline);
    this.connection.calls.delete(this);
    this.#abort?.abort(clientDisconnected());
    this.#session?.close();
    this.#session = undefined;
  }
}

const tooLate = (): ChandleryError => new ChandleryError('DeadlineExceeded', 'deadline exceeded');
