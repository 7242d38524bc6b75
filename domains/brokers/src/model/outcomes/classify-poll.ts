import type { JsonObject } from '@chandlery/api';
import { smError } from '../../errors.ts';
import { brokerErrorOf, nonsense, objectIn } from './broker-error.ts';
import type { BrokerResponse } from './broker-response.ts';
import type { OsbChange, OsbOutcome } from './osb-outcome.ts';
import { retryAfterOf } from './retry-after.ts';
import { withUsability } from './usability.ts';

const maxDescriptionLength = 1000;

interface AnsweredPoll {
  /** Of what the poll asks. */
  readonly verb: OsbChange;
  readonly brokerName: string;
  readonly response: BrokerResponse;
}

/**
 * Reads the answer to a poll. What is no clear end means: ask again. Every end but a good one of a creation or deletion
 * calls for a clean-up, since the broker had begun.
 */
export function classifyPoll(poll: AnsweredPoll): OsbOutcome {
  const { verb, brokerName, response } = poll;
  const { status } = response;
  if (status === 200) return classifyState(poll);
  if (status === 410 && (verb === 'deprovision' || verb === 'unbind')) return { type: 'succeeded', body: {} };
  const error = brokerErrorOf(response, brokerName);
  const isEnd = status === 400 || (status === 404 && (verb === 'bind' || verb === 'unbind'));
  if (isEnd) return { type: 'failed', error, mitigate: verb !== 'update' };
  return { type: 'in progress', error, ...retryAfterOf(response) };
}

function classifyState(poll: AnsweredPoll): OsbOutcome {
  const { brokerName, response } = poll;
  const body = objectIn(response.body);
  const retryAfter = retryAfterOf(response);
  if (body === undefined) return { type: 'in progress', error: brokerErrorOf(response, brokerName), ...retryAfter };
  switch (body['state']) {
    case 'succeeded':
      return { type: 'succeeded', body };
    case 'failed':
      return failedAtLast(poll, body);
    case 'in progress':
      return { type: 'in progress', ...descriptionOf(body), ...retryAfter };
    default:
      return { type: 'in progress', error: nonsense(response, brokerName, 'reports an unknown state'), ...retryAfter };
  }
}

/** The start of what a broker says: each change of it is stored. */
function descriptionOf({ description }: JsonObject): { readonly description?: string } {
  if (typeof description !== 'string' || description === '') return {};
  return { description: description.slice(0, maxDescriptionLength) };
}

function failedAtLast({ verb, brokerName }: AnsweredPoll, body: JsonObject): OsbOutcome {
  const { description } = body;
  const original = typeof description === 'string' && description !== '' ? description : `the ${verb} has failed`;
  const isRetryable = !(verb === 'update' && body['update_repeatable'] === false);
  const error = smError('BrokerError', `Service broker ${brokerName} failed with: ${original}`, {
    broker: brokerName,
    isRetryable,
  });
  return { type: 'failed', error: withUsability(error, verb, body), mitigate: verb !== 'update' };
}
