import { isJsonObject } from '@chandlery/api';
import type { MachineEvent } from '../../ports/machine-events.ts';
import { type CallCloud, createCloudHttp } from './cloud-http.ts';
import type { CloudConnectOptions } from './cloud-options.ts';

/** Events about machines have one or two kilobytes. */
const maxMessageBytes = 64 * 1024;
/** A response has at most a batch of the largest messages that a queue accepts. */
const maxResponseBytes = 16 * 1024 * 1024;
/** Queues that wait for messages respond after 20 seconds; Pub/Sub after up to 90. */
const timeoutMs = 120_000;
const rateLimit = { perSecond: 20, burst: 40 };

/** Pause after an empty response of a queue that waits for messages: one that does not wait is asked not too often. */
export const waitingPauseMs = 250;

export const dropped = (reason: string): MachineEvent => ({ type: 'dropped', reason });
export const change: MachineEvent = { type: 'change' };

const tooLarge = dropped('it is larger than an event');

type Fields = Readonly<Record<string, unknown>>;

/** Interprets a message that is a JSON object; anything else is dropped. It was written by any client that may write to the queue. */
export function interpretJson(text: string, interpret: (event: Fields) => MachineEvent): MachineEvent {
  if (text.length > maxMessageBytes) return tooLarge;
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? interpret(parsed) : dropped('it is no JSON object');
  } catch {
    return dropped('it is no JSON');
  }
}

/** The same of a message in base64. */
export const interpretBase64 = (base64: string, interpret: (event: Fields) => MachineEvent): MachineEvent =>
  base64.length > 2 * maxMessageBytes ? tooLarge : interpretJson(Buffer.from(base64, 'base64').toString(), interpret);

/** The object in a field; empty for anything else. */
export function fieldsIn(parent: Fields, name: string): Fields {
  const value = Object.hasOwn(parent, name) ? parent[name] : undefined;
  return isJsonObject(value) ? value : {};
}

/** The text in a field; empty for anything else. */
export function textIn(parent: Fields, name: string): string {
  const value = Object.hasOwn(parent, name) ? parent[name] : undefined;
  return typeof value === 'string' ? value : '';
}

/** Makes the function that calls the queues of an account: beside the requests of its API, which do not wait for it. */
export const createEventHttp = (
  cloud: string,
  { onRequest, rateLimit: ofTest }: Pick<CloudConnectOptions, 'onRequest' | 'rateLimit'>,
): CallCloud =>
  createCloudHttp({
    ...{ cloud, timeoutMs, maxBytes: maxResponseBytes, rateLimit: ofTest ?? rateLimit },
    ...(onRequest && { onRequest }),
  });
