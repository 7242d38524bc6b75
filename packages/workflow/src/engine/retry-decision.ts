import { describeDuration, durationMs } from '../document/durations.ts';
import type { RetryStrategy } from '../document/template.ts';
import { WorkflowError } from '../errors.ts';
import { evaluateCondition } from '../template/expression-tag.ts';
import type { Scope } from '../template/scope.ts';
import type { NodeStatus } from './node-status.ts';

export type RetryDecision =
  | { readonly kind: 'again' }
  | { readonly kind: 'wait'; readonly until: number; readonly message: string }
  | { readonly kind: 'stop'; readonly message: string };

export interface RetryFacts {
  readonly strategy: RetryStrategy;
  /** All attempts so far, the last one failed. */
  readonly attempts: readonly NodeStatus[];
  readonly now: number;
  /** With `lastRetry.…` and `retries`. */
  readonly scope: Scope;
}

/** Whether a failed attempt is followed by another one, by the rules of Argo and in their order. */
export function decideRetry(facts: RetryFacts): RetryDecision {
  const last = facts.attempts.at(-1);
  if (last === undefined) return { kind: 'again' };
  const backoff = decideBackoff(facts, last);
  if (backoff !== undefined) return backoff;
  if (!isCovered(facts.strategy, last)) return stop(last.message ?? '');
  const limit = limitOf(facts.strategy);
  if (limit !== undefined && facts.attempts.length > limit) return stop('No more retries left');
  const { expression } = facts.strategy;
  if (expression !== undefined && expression !== '' && !evaluateCondition(expression, facts.scope)) {
    return stop('retryStrategy.expression evaluated to false');
  }
  return { kind: 'again' };
}

/** When all attempts must have ended, counted from the first one. */
export function retryDeadline({ backoff }: RetryStrategy, first: NodeStatus | undefined): number | undefined {
  if (first === undefined || !isSet(backoff?.maxDuration)) return undefined;
  return Date.parse(first.startedAt) + durationMs(backoff?.maxDuration ?? '0');
}

const stop = (message: string): RetryDecision => ({ kind: 'stop', message });

function decideBackoff({ strategy, attempts, now }: RetryFacts, last: NodeStatus): RetryDecision | undefined {
  const { backoff } = strategy;
  if (backoff === undefined) return undefined;
  const deadline = retryDeadline(strategy, attempts[0]);
  if (deadline !== undefined && now > deadline) return stop('Max duration limit exceeded');
  const wait = backoffMs(strategy, attempts.length);
  const until = Date.parse(last.finishedAt ?? last.startedAt) + wait;
  if (deadline !== undefined && until > deadline) return stop('Backoff would exceed max duration limit');
  const limit = limitOf(strategy);
  // An attempt that no retry will follow is not waited for.
  const mayFollow = (limit === undefined || attempts.length <= limit) && isCovered(strategy, last);
  if (now < until && mayFollow) return { kind: 'wait', until, message: `Backoff for ${describeDuration(wait)}` };
  return undefined;
}

function backoffMs({ backoff }: RetryStrategy, attempts: number): number {
  if (!isSet(backoff?.duration)) {
    throw new WorkflowError('invalid-document', 'no base duration specified for retryStrategy');
  }
  const factor = integer(backoff?.factor);
  const growth = factor !== undefined && factor > 0 ? factor ** (attempts - 1) : 1;
  const wait = Math.min(durationMs(backoff?.duration ?? '0') * growth, Number.MAX_SAFE_INTEGER);
  return isSet(backoff?.cap) ? Math.min(wait, durationMs(backoff?.cap ?? '0')) : wait;
}

const isSet = (text: string | undefined): text is string => text !== undefined && text !== '';

const limitOf = ({ limit }: RetryStrategy): number | undefined => integer(limit);

function integer(value: number | string | undefined): number | undefined {
  if (value === undefined || value === '') return undefined;
  const number = Number(value);
  if (Number.isInteger(number)) return number;
  throw new WorkflowError('invalid-document', `value '${value}' cannot be resolved to an int`);
}

/** Which phases the policy retries. */
function isCovered(strategy: RetryStrategy, { phase, message }: NodeStatus): boolean {
  const policy = strategy.retryPolicy ?? (isSet(strategy.expression) ? 'Always' : 'OnFailure');
  switch (policy) {
    case 'Always':
      return true;
    case 'OnError':
      return phase === 'Error';
    case 'OnFailure':
      return phase === 'Failed';
    case 'OnTransientError':
      return isTransient(message ?? '');
    default:
      throw new WorkflowError('invalid-document', `${String(policy)} is not a valid RetryPolicy`);
  }
}

/** Whether errors of templates themselves, such as a missing value, are retried. */
export const retriesErrors = (strategy: RetryStrategy): boolean =>
  ['Always', 'OnError', 'OnTransientError'].includes(
    strategy.retryPolicy ?? (isSet(strategy.expression) ? 'Always' : 'OnFailure'),
  );

/** Texts that Argo takes for a passing condition of the network or the cluster. */
const transientTexts = [
  'client rate limiter Wait returned an error',
  'Connection closed by foreign host',
  'connect: connection refused',
  'connection reset by peer',
  'connection timed out',
  'etcdserver: leader changed',
  'etcdserver: request timed out',
  'etcdserver: too many requests',
  'http2: client connection lost',
  'http2: server sent GOAWAY and closed the connection',
  'i/o timeout',
  'invalid connection',
  'net/http: TLS handshake timeout',
  'request did not complete within requested timeout',
  'stream error when reading response body',
  'unexpected error when reading response body',
];

const isTransient = (message: string): boolean => transientTexts.some(text => message.includes(text));
