import { isJsonObject } from '@chandlery/api';
import type { MachineEvents, ReceivedEvent } from '../../../ports/machine-events.ts';
import { cloudError } from '../cloud-errors.ts';
import { apiUrl } from '../cloud-http.ts';
import { fieldsIn, textIn, waitingPauseMs } from '../event-message.ts';
import type { CallJson } from '../json-api.ts';
import { interpretGoogleEvent } from './interpret-google-event.ts';

export interface PubSubOptions {
  readonly project: string;
  /** Name of the subscription. */
  readonly subscription: string;
  readonly api: CallJson;
  /** Of a test server. Default: that of Google. */
  readonly endpoint?: string;
}

/** Events of a Pub/Sub subscription, which an asset feed or a log sink publishes. */
export class PubSubEvents implements MachineEvents {
  readonly name: string;
  readonly idlePauseMs = waitingPauseMs;
  readonly batch = 50;
  readonly #options: PubSubOptions;

  constructor(options: PubSubOptions) {
    this.name = `projects/${options.project}/subscriptions/${options.subscription}`;
    this.#options = options;
  }

  async receive(max: number, signal: AbortSignal): Promise<readonly ReceivedEvent[]> {
    const { receivedMessages: received = [] } = await this.#ask('pull', { maxMessages: max }, signal);
    return (Array.isArray(received) ? received : []).filter(isJsonObject).map(each => ({
      event: interpretGoogleEvent(textIn(fieldsIn(each, 'message'), 'data'), this.#options.project),
      receipt: textIn(each, 'ackId'),
    }));
  }

  async remove(receipts: readonly string[], signal: AbortSignal): Promise<void> {
    await this.#ask('acknowledge', { ackIds: receipts }, signal);
  }

  async #ask(action: string, body: object, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    const { api, endpoint } = this.#options;
    const url = apiUrl(endpoint, 'pubsub.googleapis.com', `/v1/${this.name}:${action}`);
    const response = await api({ method: 'POST', url, body }, signal);
    if (response !== undefined) return response;
    throw cloudError('CloudQueueMissing', `there is no subscription ${this.name}`, {
      hint: 'Create it, or correct spec.google.eventSubscription.',
    });
  }
}
