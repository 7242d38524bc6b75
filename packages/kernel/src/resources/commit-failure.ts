import { alreadyExists, apiError, ChandleryError, conflict, isError, notFound } from '@chandlery/api';
import type { AtomicWrite } from '@chandlery/client';
import { formatKey, storeErrorCodes } from '../store/store.ts';
import { keyOfTarget, type Target } from './request.ts';

/** A write and what its reference means. */
export interface TargetedWrite {
  readonly write: AtomicWrite;
  readonly target: Target;
}

/** The error of a commit that the store rejected. */
export function commitFailure(error: unknown, writes: readonly TargetedWrite[]): unknown {
  if (isError(error, storeErrorCodes.UniqueViolation)) return uniqueViolation(error);
  if (!isError(error, storeErrorCodes.PreconditionFailed)) return error;
  const failed = failedWrite(error, writes);
  if (failed === undefined)
    return apiError('Conflict', 'something that the commit depends on changed meanwhile; please try again', {}, error);
  const { write, target } = failed;
  const { groupResource } = target.resource.kind;
  if (write.type === 'create') return alreadyExists(groupResource, target.name);
  if (write.type === 'check') return conflict(groupResource, target.name, `it ${whyCheckFailed(error)}`);
  return error.details.kind === 'missing' ? notFound(groupResource, target.name) : conflict(groupResource, target.name);
}

/** True when a removal lost to another writer, whose version it takes as well. */
export function isWorthAnotherTry(error: unknown, writes: readonly TargetedWrite[]): boolean {
  if (!isError(error, storeErrorCodes.PreconditionFailed) || error.details.kind !== 'revision') return false;
  const write = failedWrite(error, writes)?.write;
  return write?.type === 'remove' && write.resourceVersion === undefined;
}

const failedWrite = (error: ChandleryError, writes: readonly TargetedWrite[]): TargetedWrite | undefined =>
  writes.find(({ target }) => formatKey(keyOfTarget(target)) === error.details.name);

function whyCheckFailed({ details }: ChandleryError): string {
  if (details.kind === 'missing') return 'does not exist';
  return details.kind === 'exists' ? 'exists already' : 'has been changed meanwhile';
}

/** The store's text is `scope|resource|key|value`, and only the value may hold more bars. */
function uniqueViolation(error: ChandleryError): ChandleryError {
  const [, , keyName = '', ...value] = (error.details.name ?? '').split('|');
  const name = value.join('|');
  return new ChandleryError(storeErrorCodes.UniqueViolation, `another object holds ${keyName} "${name}"`, {
    details: { kind: keyName, name },
    cause: error,
  });
}
