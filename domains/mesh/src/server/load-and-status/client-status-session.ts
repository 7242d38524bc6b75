import { frameMessage } from '../../xds/frame-message.ts';
import type { CallContext, CallSession } from '../grpc/serve-call.ts';
import type { ClientStatusSource } from './client-status.ts';

/** Answers one question about clients after the other. */
export class ClientStatusSession implements CallSession {
  readonly #context: CallContext;
  readonly #source: ClientStatusSource;

  constructor(context: CallContext, source: ClientStatusSource) {
    this.#context = context;
    this.#source = source;
  }

  async onMessage(message: Buffer): Promise<void> {
    const { port, connection } = this.#context;
    port.send(frameMessage(await this.#source.answer(message, connection)));
  }

  close(): void {}
}
