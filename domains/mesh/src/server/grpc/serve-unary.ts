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

type Answer = (request: UnaryRequest) => Promise<Uint8Array>;

/** Serves unary calls. */
export const serveUnary =
  (answer: Answer): BeginCall =>
  context =>
    new UnarySession(context, answer);

class UnarySession implements CallSession {
  readonly #context: CallContext;
  readonly #answer: Answer;
  #message: Buffer | undefined;

  constructor(context: CallContext, answer: Answer) {
    this.#context = context;
    this.#answer = answer;
  }

  onMessage(message: Buffer): void {
    if (this.#message) throw notOne('two requests have come');
    this.#message = message;
  }

  async onHalfClose(): Promise<void> {
    const { port, connection, signal } = this.#context;
    if (!this.#message) throw notOne('no request has come');
    const answer = await this.#answer({ message: this.#message, connection, signal });
    port.send(frameMessage(answer));
    port.finish();
  }

  close(): void {
    this.#message = undefined;
  }
}

const notOne = (why: string): ChandleryError =>
  new ChandleryError('InvalidRequest', `this call takes exactly one request, and ${why}`);
