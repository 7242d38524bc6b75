import type { JsonObject } from '@chandlery/api';
import { type SmError, smError } from '../../errors.ts';
import type { BrokerSettings } from '../../settings.ts';
import type { OsbOutcome } from '../outcomes/osb-outcome.ts';
import type { OperationRow, PlanRow } from '../rows.ts';
import { asksForMore, pollDelayMs, pollingEndsAtMs, repeatDelayMs } from './retry-delays.ts';

/** What is known when a broker has answered for an operation that is not under mitigation. */
export interface OutcomeFacts {
  readonly operation: OperationRow;
  readonly outcome: OsbOutcome;
  /** The plan that limits polling. */
  readonly plan: PlanRow | undefined;
  /** Another process may already have sent the request: "not reached" then says nothing about what the broker has. */
  readonly isInherited: boolean;
  /** A later deletion of the same resource runs and will remove whatever there is. */
  readonly isSuperseded: boolean;
  readonly nowMs: number;
  readonly settings: BrokerSettings;
}

/** What follows from an answer. */
export type NextStep =
  | { readonly type: 'succeed'; readonly body: JsonObject }
  /** The broker works on it: remember its name for that and ask again later. */
  | {
      readonly type: 'poll';
      readonly externalId: string | undefined;
      readonly body: JsonObject;
      readonly delayMs: number;
      readonly isAsked: boolean;
    }
  /**
   * No end: poll again later. `isAsked`: the broker requested the delay, which is stored for an engine that takes over.
   * `description`: how far it is, where the broker says so.
   */
  | { readonly type: 'wait'; readonly delayMs: number; readonly isAsked: boolean; readonly description?: string }
  /** The broker could not take the request: count it and send it again later. */
  | { readonly type: 'repeat'; readonly delayMs: number }
  | { readonly type: 'fail'; readonly error: SmError; readonly mitigates: boolean; readonly discardsRow: boolean }
  /** A forced deletion: the row goes although the broker did not say that it has nothing. */
  | { readonly type: 'abandon'; readonly error: SmError };

/** How often a forced deletion waits for a broker that is busy with something else. */
const forcedRepeats = 3;

/** Decides what follows from a broker's answer. */
export function decideNextStep(facts: OutcomeFacts): NextStep {
  const { outcome, settings } = facts;
  switch (outcome.type) {
    case 'succeeded':
      return { type: 'succeed', body: outcome.body };
    case 'accepted':
      return {
        type: 'poll',
        externalId: outcome.operation,
        body: outcome.body,
        delayMs: pollDelayMs(outcome.retryAfterSeconds, settings),
        isAsked: asksForMore(outcome.retryAfterSeconds, settings),
      };
    case 'in progress':
      return afterProgress(facts, outcome);
    case 'retry':
      return afterTransientFailure(facts, outcome.error, outcome.retryAfterSeconds);
    case 'failed':
      return afterFailure(facts, outcome.error, outcome.mitigate);
  }
}

function afterProgress(facts: OutcomeFacts, outcome: Extract<OsbOutcome, { type: 'in progress' }>): NextStep {
  const { retryAfterSeconds, description } = outcome;
  const { operation, plan, nowMs, settings } = facts;
  const endsAtMs = pollingEndsAtMs(operation, plan, settings);
  if (nowMs >= endsAtMs) return afterFailure(facts, tookTooLong(facts), true);
  // The last poll falls on the end: a long interval must not make the limit longer.
  const delayMs = Math.min(pollDelayMs(retryAfterSeconds, settings), endsAtMs - nowMs);
  const isAsked = asksForMore(retryAfterSeconds, settings);
  return { type: 'wait', delayMs, isAsked, ...(description === undefined ? {} : { description }) };
}

function afterTransientFailure(facts: OutcomeFacts, error: SmError, retryAfterSeconds: number | undefined): NextStep {
  const { operation, nowMs, settings } = facts;
  const attempts = operation.status.attempts ?? 0;
  const isForcedLongEnough = operation.spec.isForced === true && attempts >= forcedRepeats;
  const isOver = nowMs - Date.parse(operation.createdAt) > settings.maximumPollingMs;
  if (isForcedLongEnough || isOver) return afterFinalFailure(facts, error, false);
  return { type: 'repeat', delayMs: repeatDelayMs(attempts, retryAfterSeconds, settings) };
}

function afterFailure(facts: OutcomeFacts, error: SmError, mightHaveWorked: boolean): NextStep {
  const { type, discardsFailedCreate } = facts.operation.spec;
  const isCallerWaiting = type === 'create' && discardsFailedCreate === true;
  if (!isNotSent(error) || isCallerWaiting) return afterFinalFailure(facts, error, mightHaveWorked);
  return afterTransientFailure(facts, error, error.facts.retryAfterSeconds);
}

/** We ourselves held the request back, because the broker has enough to do. */
const isNotSent = ({ code, facts }: SmError): boolean =>
  code === 'ServiceUnavailable' && facts.brokerStatus === undefined;

function afterFinalFailure(facts: OutcomeFacts, error: SmError, mightHaveWorked: boolean): NextStep {
  const { operation, isInherited, isSuperseded } = facts;
  const { type, isForced, discardsFailedCreate } = operation.spec;
  if (type === 'update') return { type: 'fail', error, mitigates: false, discardsRow: false };
  if (type === 'delete') return isForced === true ? { type: 'abandon', error } : failedDeletion(error, mightHaveWorked);
  const mitigates = (mightHaveWorked || isInherited) && !isSuperseded;
  const discardsRow = discardsFailedCreate === true && !mitigates && !isSuperseded;
  return { type: 'fail', error, mitigates, discardsRow };
}

/** A definite rejection of a deletion is final; a deletion that was not sent, or failed at the broker, is repeated. */
function failedDeletion(error: SmError, mightHaveWorked: boolean): NextStep {
  const { brokerStatus } = error.facts;
  const isRefusal = brokerStatus !== undefined && brokerStatus >= 400 && brokerStatus < 500 && brokerStatus !== 408;
  const isOurOwn = brokerStatus === undefined && error.facts.isRetryable !== true;
  return { type: 'fail', error, mitigates: mightHaveWorked || !(isRefusal || isOurOwn), discardsRow: false };
}

function tookTooLong({ operation }: OutcomeFacts): SmError {
  const sentence = `the broker did not finish the ${operation.spec.type} in time`;
  return smError('BrokerError', sentence, { isRetryable: true });
}
