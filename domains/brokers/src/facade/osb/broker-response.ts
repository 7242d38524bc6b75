import type { JsonObject } from '@chandlery/api';
import type { SmError } from '../../errors.ts';
import type { PollEnd } from '../../model/operations/track-poll.ts';
import type { BrokerWord } from '../../model/operations/tracked-operation.ts';
import { type AnswerKind, brokerErrorBody, objectIn } from '../../model/osb/broker-error.ts';
import { classifyOutcome } from '../../model/osb/classify-outcome.ts';
import { osbRefusalIn } from '../../model/osb/osb-errors.ts';
import type { OsbChange, OsbOutcome } from '../../model/osb/osb-outcome.ts';
import type { BrokerRow } from '../../model/rows.ts';
import type { BrokerAnswer } from '../../ports.ts';
import type { OsbAnswer } from './osb-response.ts';

/** What a broker's answer to a change means for our record. */
export type Heard =
  | { readonly type: 'word'; readonly word: BrokerWord }
  /** The status says it all; the platform draws its own conclusions from it. `isSpoilt`: the instance cannot be used any more. */
  | { readonly type: 'refused'; readonly isSpoilt: boolean }
  /** The status says that something was done, the rest makes no sense. `mitigates`: what was created must go. */
  | { readonly type: 'malformed'; readonly error: SmError; readonly mitigates: boolean };

/** What the broker was asked to do. */
interface Asked {
  readonly verb: OsbChange;
  readonly acceptsIncomplete: boolean;
  readonly broker: BrokerRow;
}

/** Sorts the answer to a change. */
export function hear(answer: BrokerAnswer, { verb, acceptsIncomplete, broker }: Asked): Heard {
  const isCreation = verb === 'provision' || verb === 'bind';
  const read = isCreation ? answer : withBody(answer);
  const outcome = classifyOutcome({ verb, acceptsIncomplete, brokerName: nameOf(broker), answer: read });
  if (outcome.type === 'succeeded') return { type: 'word', word: { isDone: true, body: outcome.body } };
  if (outcome.type === 'accepted') return { type: 'word', word: { isDone: false, body: outcome.body } };
  if (outcome.type !== 'failed') return { type: 'refused', isSpoilt: false };
  const { error, mitigate } = outcome;
  const isNonsense = answer.status >= 200 && answer.status < 300;
  if (isNonsense) return { type: 'malformed', error, mitigates: mitigate && isCreation };
  return { type: 'refused', isSpoilt: error.facts.instanceUsable === false };
}

/** Many brokers say nothing more after an update or a deletion: only a creation needs a body. */
const withBody = (answer: BrokerAnswer): BrokerAnswer =>
  answer.body.length > 0 ? answer : { ...answer, body: Buffer.from('{}') };

/** How something ended that was polled for; undefined while it goes on, and for answers that say nothing. */
export function endOf(outcome: OsbOutcome): PollEnd | undefined {
  if (outcome.type === 'succeeded') return { type: 'succeeded' };
  // A refusal of the poll itself is no word on what was polled for.
  const isWord = outcome.type === 'failed' && outcome.error.facts.brokerStatus === undefined;
  return isWord ? { type: 'failed', error: outcome.error } : undefined;
}

/** Answers to a bind or about a binding, which may hold credentials. */
export const aboutBinding: AnswerKind = { isSecret: true };

/** A broker's answer as the platform gets it: the same status; of the headers what platforms look at. */
export function passOn(answer: BrokerAnswer, broker: BrokerRow, kind: AnswerKind = {}): OsbAnswer {
  const { status, headers, body } = answer;
  const { 'content-type': contentType, 'retry-after': retryAfter } = headers;
  const kept: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  if (status >= 400) return { status, headers: kept, body: JSON.stringify(errorBody(answer, broker, kind)) };
  if (body.length === 0) return { status, headers: kept, body: '{}' };
  return { status, headers: contentType === undefined ? kept : { ...kept, 'content-type': contentType }, body };
}

/**
 * With the name of the broker, except where it would change the meaning: OSB's own refusals are known by their very words,
 * and "it is gone" is what a platform hopes to hear of a deletion, with more words or without.
 */
function errorBody(answer: BrokerAnswer, broker: BrokerRow, kind: AnswerKind): JsonObject {
  const read = withBody(answer);
  const said = objectIn(read.body);
  if (said === undefined) return brokerErrorBody(read, nameOf(broker), kind);
  const refusal = osbRefusalIn(read.status, said);
  if (refusal !== undefined) return { ...said, ...refusal };
  const isMereGone = read.status === 410 && said['error'] === undefined;
  return isMereGone ? said : brokerErrorBody(read, nameOf(broker), kind);
}

/** What people call a broker. */
export const nameOf = ({ id, spec }: BrokerRow): string => spec.name ?? id;
