import type { JsonObject } from '@chandlery/api';

/** What came back from a broker: an answer, or none. */
export type BrokerResponse =
  | { readonly status: number; readonly json: unknown; readonly retryAfterMs?: number | undefined }
  | {
      readonly status: 'lost';
      readonly message: string /** Nothing can have reached it. */;
      readonly isUnsent: boolean;
    };

/** What is asked of a broker. */
export type OsbChange = 'create' | 'update' | 'delete';

/** What an answer means. */
export type ChangeOutcome =
  | { readonly type: 'done'; readonly body: JsonObject }
  | { readonly type: 'pending'; readonly operation: string | undefined; readonly body: JsonObject }
  /** Nothing has changed at the broker. */
  | { readonly type: 'rejected'; readonly message: string; readonly isRetryable: boolean }
  /** It may or may not have happened: what was made must be taken away. */
  | { readonly type: 'unclear'; readonly message: string };

const retryableStatuses: readonly number[] = [401, 403, 404, 408, 425, 429];

/** Reads the answer to a change, by the specification's table of orphan mitigation. */
export function interpretChange(change: OsbChange, response: BrokerResponse): ChangeOutcome {
  if (response.status === 'lost') return lost(change, response);
  const { status, json } = response;
  const body = isObject(json) ? json : undefined;
  if (status === 410 && change === 'delete') return { type: 'done', body: {} };
  if (status === 200) return body === undefined ? rejected('answered what is not JSON', true) : { type: 'done', body };
  if (status === 201 && change === 'create') return body === undefined ? garbled : { type: 'done', body };
  if (status === 202) {
    if (body === undefined) return change === 'create' ? garbled : rejected('answered what is not JSON', true);
    return { type: 'pending', operation: operationOf(body), body };
  }
  const why = `answered ${status}${descriptionOf(body)}`;
  if (status < 300 || status >= 500)
    return change === 'create' ? { type: 'unclear', message: why } : rejected(why, true);
  const isBusy = status === 422 && body?.['error'] === 'ConcurrencyError';
  return rejected(why, isBusy || retryableStatuses.includes(status));
}

/** How far something is. */
export type PollOutcome =
  | { readonly type: 'pending'; readonly retryAfterMs: number | undefined; readonly message: string }
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly message: string };

/** Reads the answer to a question for the last operation. Whatever is unclear means to ask again. */
export function interpretPoll(change: OsbChange, response: BrokerResponse): PollOutcome {
  if (response.status === 'lost') return { type: 'pending', retryAfterMs: undefined, message: response.message };
  const { status, json, retryAfterMs } = response;
  const body = isObject(json) ? json : {};
  if (change === 'delete' && (status === 410 || status === 404)) return { type: 'done' };
  if (status === 400) return { type: 'failed', message: `answered 400${descriptionOf(body)}` };
  const state = status === 200 ? body['state'] : undefined;
  if (state === 'succeeded') return { type: 'done' };
  if (state === 'failed') return { type: 'failed', message: `failed${descriptionOf(body)}` };
  const description = typeof body['description'] === 'string' ? body['description'] : 'in progress';
  return { type: 'pending', retryAfterMs, message: description };
}

function lost(change: OsbChange, { message, isUnsent }: Extract<BrokerResponse, { status: 'lost' }>): ChangeOutcome {
  return change === 'create' && !isUnsent ? { type: 'unclear', message } : rejected(message, true);
}

const garbled: ChangeOutcome = { type: 'unclear', message: 'answered what is not JSON' };

const rejected = (message: string, isRetryable: boolean): ChangeOutcome => ({
  type: 'rejected',
  message,
  isRetryable,
});

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const operationOf = ({ operation }: JsonObject): string | undefined =>
  typeof operation === 'string' && operation !== '' ? operation : undefined;

const descriptionOf = (body: JsonObject | undefined): string =>
  typeof body?.['description'] === 'string' && body['description'] !== '' ? `: ${body['description']}` : '';
