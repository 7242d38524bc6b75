import type { MachineEvents, ReceivedEvent } from '../../../ports/machine-events.ts';
import { cloudError } from '../cloud-errors.ts';
import { apiUrl, type CallCloud, type CloudRequest, type CloudResponse } from '../cloud-http.ts';
import { type GetToken, withToken } from '../oauth-token.ts';
import { at, listOf, parseXml, textAt, type XmlValue } from '../xml/cloud-xml.ts';
import { interpretAzureEvent } from './interpret-azure-event.ts';

export interface StorageQueueOptions {
  readonly storageAccount: string;
  readonly queue: string;
  readonly subscriptionId: string;
  readonly call: CallCloud;
  readonly token: GetToken;
  /** Of a test server. Default: that of Azure. */
  readonly endpoint?: string;
}

const version = '2021-12-02';
/** Messages that are not removed until then come again. */
const hiddenSeconds = 30;
/** Requests of this service do not wait for messages. */
const idlePauseMs = 2000;

/** Events of a storage queue, into which Event Grid puts them. */
export class StorageQueueEvents implements MachineEvents {
  readonly name: string;
  readonly idlePauseMs = idlePauseMs;
  readonly batch = 16;
  readonly #options: StorageQueueOptions;

  constructor(options: StorageQueueOptions) {
    this.name = `${options.storageAccount}/${options.queue}`;
    this.#options = options;
  }

  async receive(max: number, signal: AbortSignal): Promise<readonly ReceivedEvent[]> {
    const query = { numofmessages: String(max), visibilitytimeout: String(hiddenSeconds) };
    const response = await this.#ask('GET', { path: '', query }, signal);
    if (response.status !== 200) throw this.#errorOf(response);
    const list = await readList(response);
    return listOf(at(list, 'QueueMessage')).map(message => ({
      event: interpretAzureEvent(textAt(message, 'MessageText') ?? '', this.#options.subscriptionId),
      receipt: JSON.stringify([textAt(message, 'MessageId') ?? '', textAt(message, 'PopReceipt') ?? '']),
    }));
  }

  async remove(receipts: readonly string[], signal: AbortSignal): Promise<void> {
    await Promise.all(receipts.map(receipt => this.#remove(receipt, signal)));
  }

  /** A message that was removed, or that another client has received meanwhile, is not there any more. */
  async #remove(receipt: string, signal: AbortSignal): Promise<void> {
    const [id = '', popreceipt = ''] = JSON.parse(receipt) as readonly string[];
    const response = await this.#ask('DELETE', { path: `/${encodeURIComponent(id)}`, query: { popreceipt } }, signal);
    if (response.status >= 300 && response.status !== 404 && response.status !== 400) throw this.#errorOf(response);
  }

  async #ask(
    method: CloudRequest['method'],
    { path, query }: { readonly path: string; readonly query: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ): Promise<CloudResponse> {
    const { call, token, endpoint, storageAccount, queue } = this.#options;
    const url = apiUrl(endpoint, `${storageAccount}.queue.core.windows.net`, `/${queue}/messages${path}`);
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
    const send = (bearer: string): Promise<CloudResponse> =>
      call({ method, url, headers: { authorization: `Bearer ${bearer}`, 'x-ms-version': version } }, signal);
    return withToken(token, send, signal);
  }

  #errorOf({ status }: CloudResponse) {
    if (status === 404) {
      return cloudError('CloudQueueMissing', `there is no queue ${this.name}`, {
        hint: 'Create it, or correct spec.azure.eventQueue.',
      });
    }
    const what = `Azure answered ${status} to a request of the queue ${this.name}`;
    if (status !== 401 && status !== 403) return cloudError('CloudUnreachable', what);
    return cloudError('CloudDenied', what, {
      hint: 'Give the credentials the role Storage Queue Data Message Processor for the queue.',
    });
  }
}

async function readList({ text }: CloudResponse): Promise<XmlValue> {
  try {
    return (await parseXml(text))['QueueMessagesList'];
  } catch {
    throw cloudError('CloudUnreachable', 'Azure sent a list of messages that is no XML');
  }
}
