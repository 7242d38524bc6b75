import type { ChandleryError } from '@chandlery/api';
import type { Logger } from '@chandlery/platform';
import { status } from '@grpc/grpc-js';
import { type ByteCall, CallPort } from './call-port.ts';
import { clientGone } from './client-gone.ts';
import type { Connection, OpenCall } from './connection.ts';
import type { Connections } from './connections.ts';
import type { ServerMetrics } from './server-metrics.ts';
import { type CallStatus, statusOf } from './status-of.ts';

/** What happens on one call. Whatever it throws ends the call. */
export interface CallSession {
  /** The next message comes only after this one is done with. */
  onMessage(message: Buffer): void | Promise<void>;
  /** Called once, however the call ends. */
  close(): void;
}

export interface CallContext {
  readonly method: string;
  readonly connection: Connection;
  readonly port: CallPort;
  readonly call: OpenCall;
  /** Aborts when the call is over. */
  readonly signal: AbortSignal;
}

export interface ServeCallOptions {
  readonly connections: Connections;
  readonly logger: Logger;
  readonly metrics: ServerMetrics;
  /** See {@link CallPort}. */
  readonly highWaterBytes: number;
  readonly endTimeoutMs: number;
}

/** Serves calls that go both ways, each by a session of its own. */
export const serveCalls =
  (options: ServeCallOptions, begin: (context: CallContext) => CallSession) =>
  (call: ByteCall): void => {
    try {
      const served = new ServedCall(call, options);
      served.start(begin);
    } catch (error) {
      const { code, details } = noted(error, options);
      call.emit('error', { code: status[code], details });
    }
  };

/** What the client is told, written down. */
export function noted(error: unknown, { logger, metrics }: Pick<ServeCallOptions, 'logger' | 'metrics'>): CallStatus {
  const told = statusOf(error);
  metrics.refusedCalls.with({ code: told.code }).inc();
  if (told.code === 'INTERNAL') logger.error('a call failed', { error });
  else logger.debug('a call was refused', { code: told.code, why: told.details });
  return told;
}

class ServedCall implements OpenCall {
  readonly #call: ByteCall;
  readonly #options: ServeCallOptions;
  readonly #connection: Connection;
  readonly #port: CallPort;
  readonly #abort = new AbortController();
  #session: CallSession | undefined;

  constructor(call: ByteCall, options: ServeCallOptions) {
    this.#call = call;
    this.#options = options;
    this.#connection = options.connections.byPeer(call.getPeer());
    this.#port = new CallPort({ ...options, call, cutOff: () => this.#connection.socket.destroy() });
    this.#connection.calls.add(this);
    call.once('cancelled', () => this.#onClosed());
  }

  start(begin: (context: CallContext) => CallSession): void {
    try {
      this.#session = begin({
        method: this.#call.getPath(),
        connection: this.#connection,
        port: this.#port,
        call: this,
        signal: this.#abort.signal,
      });
    } catch (error) {
      this.end(error);
      return;
    }
    this.#call.on('data', (message: Buffer) => this.#onMessage(message));
    this.#call.on('end', () => this.#port.finish());
  }

  end(error: ChandleryError | unknown): void {
    if (this.#port.isEnded) return;
    const { code, details } = noted(error, this.#options);
    this.#port.end({ code, message: details });
  }

  #onMessage(message: Buffer): void {
    if (this.#port.isEnded) return;
    try {
      const done = this.#session?.onMessage(message);
      if (done) void this.#waitFor(done);
    } catch (error) {
      this.end(error);
    }
  }

  async #waitFor(done: Promise<void>): Promise<void> {
    this.#call.pause();
    try {
      await done;
    } catch (error) {
      this.end(error);
    }
    this.#call.resume();
  }

  #onClosed(): void {
    this.#connection.calls.delete(this);
    this.#abort.abort(clientGone());
    this.#session?.close();
    this.#session = undefined;
  }
}
