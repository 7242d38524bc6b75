import type { JsonObject } from '@chandlery/api';
import { type SmError, smError } from '../../errors.ts';
import type { OperationRow } from '../rows.ts';
import { osbErrors } from './osb-errors.ts';

/** What our record of a resource means for a request about it. */
export type RepeatDecision =
  /** The record has nothing against it: the broker is asked. */
  | { readonly type: 'forward' }
  /** It was asked before: what was answered then, or what has become of it. */
  | { readonly type: 'answer'; readonly status: 200 | 202; readonly body: JsonObject }
  /** Another operation is in progress according to the record. */
  | { readonly type: 'busy' }
  | { readonly type: 'refuse'; readonly error: SmError };

export const forward: RepeatDecision = { type: 'forward' };
export const busy: RepeatDecision = { type: 'busy' };

/** The error for a request while another operation is in progress. */
export const concurrencyError = (): SmError =>
  smError('ConcurrencyError', osbErrors.concurrencyError.description, { isRetryable: true });

/** The id is taken, by something else than what is asked for. */
export const differentRequest = (noun: string): RepeatDecision => ({
  type: 'refuse',
  error: smError('Conflict', `a ${noun} with this id exists, with other attributes`),
});

/**
 * The response to a repeated request whose operation is in progress: the same operation, or `AsyncRequired` for a
 * caller that does not accept asynchronous responses.
 */
export function sameOperation(
  operation: OperationRow,
  acceptsIncomplete: boolean,
  more: JsonObject = {},
): RepeatDecision {
  if (!acceptsIncomplete) return { type: 'refuse', error: asyncRequired() };
  const { externalId } = operation.status;
  return {
    type: 'answer',
    status: 202,
    body: { ...more, ...(externalId === undefined ? {} : { operation: externalId }) },
  };
}

const asyncRequired = (): SmError => smError('AsyncRequired', osbErrors.asyncRequired.description);
