import { ChandleryError, isError } from '@chandlery/api';
import { errorOfBody, sentenceOf } from './response-error.ts';
import type { SmClient } from './sm-client.ts';
import type { CascadeError, SmErrorBody, SmOperation } from './sm-types.ts';

/** The state of the resource of a failed operation: it exists, it does not, or it is being removed from the broker. */
type Remainder = 'kept' | 'gone' | 'removing';

/** Finds out what has become of the instance or binding of a failed operation; undefined for other resources. */
export async function remainderOf(sm: Pick<SmClient, 'get'>, operation: SmOperation): Promise<Remainder | undefined> {
  const { resource_type: type = '', resource_id: id = '', deletion_scheduled: scheduled = '' } = operation;
  if (!orderedTypes.has(type)) return undefined;
  if (scheduled !== '' && !scheduled.startsWith(noTimePrefix)) return 'removing';
  try {
    await sm.get(`${type}/${encodeURIComponent(id)}`);
    return 'kept';
  } catch (thrown) {
    if (!isError(thrown, 'NotFound')) throw thrown;
    return 'gone';
  }
}

const orderedTypes = new Set(['/v1/service_instances', '/v1/service_bindings']);
const noTimePrefix = '0001-';

/** Why an operation failed, and what to do about it. `remainder`: of its resource, where that is known. */
export function operationFailure(operation: SmOperation, remainder?: Remainder): ChandleryError {
  const { errors = {} } = operation;
  if (errors.cascade_errors !== undefined) return cascadeFailure(errors.cascade_errors);
  const body = errors.errors?.[0] ?? errors;
  const { code, message, hint } = errorOfBody({ ...body, description: descriptionOf(body, operation) });
  const next = nextStep(operation, remainder) ?? hint;
  return new ChandleryError(code, message, next === undefined ? {} : { hint: next });
}

/** Of brokers, another change does what a retry does elsewhere: it reads the catalog. */
function nextStep(operation: SmOperation, remainder: Remainder | undefined): string | undefined {
  const { id, type, resource_type: resourceType, retryable } = operation;
  if (resourceType === '/v1/service_brokers')
    return 'Put it right and read the catalog again: "npx chandlery broker update NAME", with -b for other credentials.';
  if (remainder === 'removing') return type === 'delete' ? deletionContinues(id) : removing(id);
  if (type === 'create' && remainder === 'gone') return 'Nothing is left of it: give the same command again.';
  if (type === 'create' && remainder === 'kept') return retryOrDelete(operation);
  return retryable === true && remainder === 'kept' ? `Try it again with ${retryCommand(id)}.` : undefined;
}

const retryCommand = (id: string): string => `"npx chandlery operation retry ${id}"`;

const deletionContinues = (id: string): string =>
  `The deletion is tried again until the broker confirms it: "npx chandlery operation get ${id}" shows how it is.`;

const removing = (id: string): string =>
  `What it may have left at the broker is being removed. When "npx chandlery operation get ${id}" does not say so any more, give the same command again.`;

/** The failed resource has the name, so that the same command would be refused. */
function retryOrDelete({ id, resource_type: type }: SmOperation): string {
  const isBinding = type === '/v1/service_bindings';
  const deletion = isBinding
    ? '"npx chandlery binding delete INSTANCE BINDING"'
    : '"npx chandlery instance delete INSTANCE"';
  return `Put right what it says, then ${retryCommand(id)}; or delete it with ${deletion} before you use its name again.`;
}

const descriptionOf = ({ description }: SmErrorBody, operation: SmOperation): string =>
  description ?? operation.description ?? 'the operation failed and does not say why';

function cascadeFailure(errors: readonly CascadeError[]): ChandleryError {
  const printed = errors.map(
    ({ resource_type = '', resource_id = '', message = {} }) =>
      `${resource_type.replace('/v1/', '')} ${resource_id}: ${sentenceOf(message)}`,
  );
  return new ChandleryError('CascadeFailed', `${errors.length} could not be deleted: ${printed.join('; ')}`, {
    hint: 'Put right what they say and start the deletion again; it continues where it stopped.',
  });
}
