import { formatTime, type JsonObject, parseTime } from '@chandlery/api';
import { type ChangeOutcome, interpretChange, interpretPoll, type OsbChange } from './interpret-osb.ts';
import type { CallBroker } from './osb-brokers.ts';

/** What is known of an instance or binding at its broker; part of an object's status. */
export interface Lifecycle {
  externalId?: string;
  exists?: boolean;
  attempts?: number;
  isOrphan?: boolean;
  /** Why the order failed whose remains are removed. */
  failure?: string;
  operation?: { type: OsbChange; key?: string; startedAt: string };
}

/** An instance or binding at its broker. */
export interface OsbItem {
  /** Changed in place. */
  readonly status: Lifecycle;
  readonly call: CallBroker;
  /** Where it is below the broker. */
  readonly path: string;
  readonly ids: { readonly service_id: string; readonly plan_id: string };
  readonly now: Date;
  /** Between two questions when the broker does not say. */
  readonly pollMs: number;
  /** After the first failure. */
  readonly retryMs: number;
  /** How long an operation may take. */
  readonly maxDurationMs: number;
}

/** How far something got in one pass. */
export type Progress =
  | { readonly type: 'done'; readonly body: JsonObject }
  | { readonly type: 'wait'; readonly retryAfterMs: number; readonly message: string }
  /** `retryAfterMs` undefined: it is for people to act. */
  | { readonly type: 'failed'; readonly message: string; readonly retryAfterMs: number | undefined };

const maxRetryMs = 600_000;

/** Advances a creation: requests it, polls it, and mitigates the orphan when its result is unknown. */
export async function advanceCreation(item: OsbItem, body: () => Promise<JsonObject>): Promise<Progress> {
  const { status } = item;
  if (status.isOrphan === true) return mitigate(item);
  if (status.operation?.type === 'create') return followCreation(item);
  if (status.exists === true) return { type: 'done', body: {} };
  const outcome = await send(item, 'create', { method: 'PUT', json: await body() });
  if (outcome.type === 'unclear') return becomeOrphan(item, outcome.message);
  if (outcome.type === 'done') status.exists = true;
  return progressOf(item, outcome, 'create');
}

/** Advances a deletion. A resource that may not exist is deleted all the same. */
export async function advanceDeletion(item: OsbItem): Promise<Progress> {
  const { status } = item;
  if (status.operation?.type === 'delete') return followDeletion(item);
  const outcome = await send(item, 'delete', { method: 'DELETE' });
  return outcome.type === 'rejected' || outcome.type === 'unclear'
    ? { type: 'failed', message: outcome.message, retryAfterMs: backOff(item) }
    : progressOf(item, outcome, 'delete');
}

/** Sends a change of something that exists, or follows one under way. */
export async function advanceUpdate(item: OsbItem, body: () => Promise<JsonObject>): Promise<Progress> {
  if (item.status.operation?.type !== 'update')
    return progressOf(item, await send(item, 'update', { method: 'PATCH', json: await body() }), 'update');
  const outcome = await poll(item, 'update');
  if (outcome.type === 'pending') return waiting(item, outcome);
  delete item.status.operation;
  if (outcome.type === 'done') return { type: 'done', body: {} };
  return { type: 'failed', message: outcome.message, retryAfterMs: undefined };
}

function send(item: OsbItem, change: OsbChange, request: { method: 'PUT' | 'PATCH' | 'DELETE'; json?: JsonObject }) {
  const ids = change === 'delete' ? item.ids : {};
  const query = { accepts_incomplete: 'true', ...ids };
  return item.call({ ...request, path: item.path, query }).then(response => interpretChange(change, response));
}

function progressOf(item: OsbItem, outcome: ChangeOutcome, type: OsbChange): Progress {
  const { status, pollMs, now } = item;
  switch (outcome.type) {
    case 'done':
      return outcome;
    case 'pending':
      status.operation = {
        type,
        startedAt: formatTime(now),
        ...(outcome.operation === undefined ? {} : { key: outcome.operation }),
      };
      return { type: 'wait', retryAfterMs: pollMs, message: 'the broker works on it' };
    case 'rejected':
    case 'unclear': {
      const isRetryable = outcome.type === 'unclear' || outcome.isRetryable;
      return { type: 'failed', message: outcome.message, retryAfterMs: isRetryable ? backOff(item) : undefined };
    }
  }
}

async function followCreation(item: OsbItem): Promise<Progress> {
  const { status } = item;
  const outcome = await poll(item, 'create');
  if (outcome.type === 'pending') return waiting(item, outcome);
  delete status.operation;
  if (outcome.type === 'failed') return becomeOrphan(item, outcome.message);
  status.exists = true;
  return { type: 'done', body: {} };
}

async function followDeletion(item: OsbItem): Promise<Progress> {
  const outcome = await poll(item, 'delete');
  if (outcome.type === 'pending') return waiting(item, outcome);
  delete item.status.operation;
  if (outcome.type === 'done') return { type: 'done', body: {} };
  return { type: 'failed', message: outcome.message, retryAfterMs: backOff(item) };
}

async function poll(item: OsbItem, change: OsbChange) {
  const { key: operation, startedAt = '' } = item.status.operation ?? {};
  const query = { ...item.ids, operation };
  const outcome = interpretPoll(change, await item.call({ path: `${item.path}/last_operation`, query }));
  const started = parseTime(startedAt)?.getTime() ?? item.now.getTime();
  const isTooLong = item.now.getTime() - started > item.maxDurationMs;
  if (outcome.type === 'pending' && isTooLong) return { type: 'failed', message: 'took too long' } as const;
  return outcome;
}

const waiting = (
  { pollMs }: OsbItem,
  { retryAfterMs = pollMs, message }: { retryAfterMs: number | undefined; message: string },
): Progress => ({
  type: 'wait',
  retryAfterMs,
  message,
});

/** What may be left at the broker is removed in the next pass, whatever becomes of this process. */
function becomeOrphan({ status, retryMs }: OsbItem, message: string): Progress {
  status.isOrphan = true;
  status.failure = message;
  return { type: 'failed', message: `${message}; what it may have made is removed`, retryAfterMs: retryMs };
}

async function mitigate(item: OsbItem): Promise<Progress> {
  const { status } = item;
  const { failure = 'the broker failed' } = status;
  const progress = await advanceDeletion(item);
  if (progress.type === 'wait') return { ...progress, message: `${failure}; what it may have made is removed` };
  if (progress.type === 'failed')
    return { ...progress, message: `${failure}; what it may have made cannot be removed: ${progress.message}` };
  delete status.isOrphan;
  delete status.failure;
  delete status.externalId;
  status.attempts = (status.attempts ?? 0) + 1;
  return { type: 'failed', message: `${failure}; it is tried again`, retryAfterMs: backOff(item) };
}

const backOff = ({ status, retryMs }: OsbItem): number =>
  Math.min(retryMs * 2 ** Math.min(status.attempts ?? 0, 10), maxRetryMs);
