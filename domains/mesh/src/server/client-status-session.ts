import type { ClientStatusSource } from './client-status.ts';
import type { CallContext, CallSession } from './serve-call.ts';

/** Answers one question about clients after the other. */
export class ClientStatusSession implements CallSession {
  readonly #context: CallContext;
  readonly #source: ClientStatusSource;

  constructor(context: CallContext, source: ClientStatusSource) {
    this.#context = context;
    this.#source = source;
  }

  async onMessage(message: Buffer): Promise<void> {
    this.#context.port.send(await this.#source.answer(message, this.#context.connection));
  }

  close(): void {}
}
