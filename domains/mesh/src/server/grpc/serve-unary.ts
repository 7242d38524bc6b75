import { ChandleryError } from '@chandlery/api';
import { frameMessage } from '../../xds/frame-message.ts';
import type { Connection } from '../connections/connection.ts';
import type { BeginCall, CallContext, CallSession } from './serve-call.ts';

/** The request of a unary call. */
export interface UnaryRequest {
  readonly message: Buffer;
  readonly connection: Connection;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

type RespondUnary = (request: UnaryRequest) => Promise<Uint8Array>;

/** Serves unary calls. */
export const serveUnary =
  (respond: RespondUnary): BeginCall =>
  context =>
    new UnarySession(context, respond);

class UnarySession implements CallSession {
  readonly #context: CallContext;
  readonly #respond: RespondUnary;
  #message: Buffer | undefined;

  constructor(context: CallContext, respond: RespondUnary) {
    this.#context = context;
    this.#respond = respond;
  }

  onMessage(message: Buffer): void {
    if (this.#message) throw notOne('there were two');
    this.#message = message;
  }

  async onHalfClose(): Promise<void> {
    const { port, connection, signal } = this.#context;
    if (!this.#message) throw notOne('there was none');
    const respond = await this.#respond({ message: this.#message, connection, signal });
    port.send(frameMessage(respond));
    port.finish();
  }

  close(): void {
    this.#message = undefined;
  }
}

const notOne = (why: string): ChandleryError =>
  new ChandleryError('InvalidRequest', `this call takes exactly one request, and ${why}`);
