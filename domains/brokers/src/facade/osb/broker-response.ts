import type { JsonObject } from '@chandlery/api';
import type { SmError } from '../../errors.ts';
import type { PollEnd } from '../../model/operations/track-poll.ts';
import type { BrokerResult } from '../../model/operations/tracked-operation.ts';
import { osbErrorIn } from '../../model/osb/osb-errors.ts';
import { brokerErrorBody, objectIn, type ResponseKind } from '../../model/outcomes/broker-error.ts';
import { classifyOutcome } from '../../model/outcomes/classify-outcome.ts';
import type { OsbChange, OsbOutcome } from '../../model/outcomes/osb-outcome.ts';
import type { BrokerRow } from '../../model/rows.ts';
import type { BrokerResponse } from '../../ports.ts';
import type { OsbResponse } from './osb-response.ts';

/** What a broker's answer to a change means for our record. */
export type InterpretedResponse =
  | { readonly type: 'result'; readonly result: BrokerResult }
  /** The status says it all; the platform draws its own conclusions from it. `isSpoilt`: the instance cannot be used any more. */
  | { readonly type: 'rejected'; readonly isUnusable: boolean }
  /** The status says that something was done, the rest makes no sense. `mitigates`: what was created must go. */
  | { readonly type: 'malformed'; readonly error: SmError; readonly mitigates: boolean };

/** What the broker was asked to do. */
interface SentChange {
  readonly verb: OsbChange;
  readonly acceptsIncomplete: boolean;
  readonly broker: BrokerRow;
}

/** Sorts the answer to a change. */
export function interpretResponse(
  response: BrokerResponse,
  { verb, acceptsIncomplete, broker }: SentChange,
): InterpretedResponse {
  const isCreation = verb === 'provision' || verb === 'bind';
  const read = isCreation ? response : withBody(response);
  const outcome = classifyOutcome({ verb, acceptsIncomplete, brokerName: nameOf(broker), response: read });
  if (outcome.type === 'succeeded') return { type: 'result', result: { isDone: true, body: outcome.body } };
  if (outcome.type === 'accepted') return { type: 'result', result: { isDone: false, body: outcome.body } };
  if (outcome.type !== 'failed') return { type: 'rejected', isUnusable: false };
  const { error, mitigate } = outcome;
  const isNonsense = response.status >= 200 && response.status < 300;
  if (isNonsense) return { type: 'malformed', error, mitigates: mitigate && isCreation };
  return { type: 'rejected', isUnusable: error.facts.instanceUsable === false };
}

/** Many brokers say nothing more after an update or a deletion: only a creation needs a body. */
const withBody = (response: BrokerResponse): BrokerResponse =>
  response.body.length > 0 ? response : { ...response, body: Buffer.from('{}') };

/** The end of a polled operation; undefined while it is in progress and for inconclusive responses. */
export function pollEndOf(outcome: OsbOutcome): PollEnd | undefined {
  if (outcome.type === 'succeeded') return { type: 'succeeded' };
  // A refusal of the poll itself is no word on what was polled for.
  const isWord = outcome.type === 'failed' && outcome.error.facts.brokerStatus === undefined;
  return isWord ? { type: 'failed', error: outcome.error } : undefined;
}

/** Answers to a bind or about a binding, which may hold credentials. */
export const aboutBinding: ResponseKind = { isSecret: true };

/** A broker's answer as the platform gets it: the same status; of the headers what platforms look at. */
export function forwardResponse(response: BrokerResponse, broker: BrokerRow, kind: ResponseKind = {}): OsbResponse {
  const { status, headers, body } = response;
  const { 'content-type': contentType, 'retry-after': retryAfter } = headers;
  const kept: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  if (status >= 400) return { status, headers: kept, body: JSON.stringify(errorBody(response, broker, kind)) };
  if (body.length === 0) return { status, headers: kept, body: '{}' };
  return { status, headers: contentType === undefined ? kept : { ...kept, 'content-type': contentType }, body };
}

/**
 * The error body for the platform, prefixed with the broker's name except where that would change the meaning: clients
 * recognise OSB's own errors by their exact text, and a plain 410 is a successful deletion.
 */
function errorBody(response: BrokerResponse, broker: BrokerRow, kind: ResponseKind): JsonObject {
  const read = withBody(response);
  const said = objectIn(read.body);
  if (said === undefined) return brokerErrorBody(read, nameOf(broker), kind);
  const rejection = osbErrorIn(read.status, said);
  if (rejection !== undefined) return { ...said, ...rejection };
  const isMereGone = read.status === 410 && said['error'] === undefined;
  return isMereGone ? said : brokerErrorBody(read, nameOf(broker), kind);
}

/** What people call a broker. */
export const nameOf = ({ id, spec }: BrokerRow): string => spec.name ?? id;
