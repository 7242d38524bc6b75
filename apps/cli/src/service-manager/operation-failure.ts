import { ChandleryError } from '@chandlery/api';
import { errorOfBody, sentenceOf } from './answer-error.ts';
import type { CascadeError, SmErrorBody, SmOperation } from './sm-types.ts';

/** Why an operation failed, and what to do about it. */
export function operationFailure(operation: SmOperation): ChandleryError {
  const { errors = {} } = operation;
  if (errors.cascade_errors !== undefined) return cascadeFailure(errors.cascade_errors);
  const body = errors.errors?.[0] ?? errors;
  const { code, message, hint } = errorOfBody({ ...body, description: descriptionOf(body, operation) });
  const next = retryHint(operation) ?? hint;
  return new ChandleryError(code, message, next === undefined ? {} : { hint: next });
}

/** Of brokers, another change does what a retry does elsewhere: it reads the catalog. */
function retryHint({ id, resource_type: type, retryable }: SmOperation): string | undefined {
  if (type === '/v1/service_brokers')
    return 'Put it right and read the catalog again: "npx chandlery update-broker NAME", with -b for other credentials.';
  return retryable === true ? `Try it again with "npx chandlery retry-operation ${id}".` : undefined;
}

const descriptionOf = ({ description }: SmErrorBody, operation: SmOperation): string =>
  description ?? operation.description ?? 'the operation failed and does not say why';

function cascadeFailure(errors: readonly CascadeError[]): ChandleryError {
  const told = errors.map(
    ({ resource_type = '', resource_id = '', message = {} }) =>
      `${resource_type.replace('/v1/', '')} ${resource_id}: ${sentenceOf(message)}`,
  );
  return new ChandleryError('CascadeFailed', `${errors.length} could not be deleted: ${told.join('; ')}`, {
    hint: 'Put right what they say and begin the deletion again; it goes on where it ended.',
  });
}
