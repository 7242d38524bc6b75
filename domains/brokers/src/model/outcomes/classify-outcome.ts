import type { ChandleryError } from '@chandlery/api';
import { brokerErrorOf, failureError, objectIn } from './broker-error.ts';
import { type BrokerResponse, brokerFailureCodes } from './broker-response.ts';
import { classifyChange } from './classify-change.ts';
import { classifyPoll } from './classify-poll.ts';
import type { CompletedCall, OsbChange, OsbOutcome, OsbVerb } from './osb-outcome.ts';
import { retryAfterOf } from './retry-after.ts';

/**
 * Classifies the response of a broker, or its absence: done, in progress, failed, and whether the broker may now have
 * an orphan.
 */
export function classifyOutcome(call: CompletedCall): OsbOutcome {
  const { verb, brokerName } = call;
  if ('failure' in call) return classifyFailure(verb, call.failure, brokerName);
  const { response, acceptsIncomplete = true } = call;
  if (verb === 'read') return classifyRead(response, brokerName);
  const polled = polledChange(verb);
  if (polled !== undefined) return classifyPoll({ verb: polled, brokerName, response });
  return classifyChange({ verb: verb as OsbChange, brokerName, response, acceptsIncomplete });
}

const pollPrefix = 'poll-';

const polledChange = (verb: OsbVerb): OsbChange | undefined =>
  verb.startsWith(pollPrefix) ? (verb.slice(pollPrefix.length) as OsbChange) : undefined;

function classifyRead(response: BrokerResponse, brokerName: string): OsbOutcome {
  const body = response.status === 200 ? objectIn(response.body) : undefined;
  if (body !== undefined) return { type: 'succeeded', body };
  const error = brokerErrorOf(response, brokerName);
  if (error.code === 'ConcurrencyError') return { type: 'retry', error, ...retryAfterOf(response) };
  return { type: 'failed', error, mitigate: false };
}

/** Without an answer a creation may have happened, unless it was never sent; a poll is simply made again. */
function classifyFailure(verb: OsbVerb, failure: ChandleryError, brokerName: string): OsbOutcome {
  const error = failureError(failure, brokerName);
  const { retryAfterSeconds } = error.facts;
  if (verb.startsWith(pollPrefix))
    return { type: 'in progress', error, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
  const mayHaveArrived =
    failure.code === brokerFailureCodes.BrokerTimeout || failure.code === brokerFailureCodes.BrokerConnectionLost;
  return { type: 'failed', error, mitigate: mayHaveArrived && (verb === 'provision' || verb === 'bind') };
}
