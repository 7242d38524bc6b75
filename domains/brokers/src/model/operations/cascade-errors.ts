import type { JsonObject } from '@chandlery/api';
import type { OperationRow } from '../rows.ts';

/** More than these make an operation unreadable, and large. */
const maxErrors = 200;

/** How a parent in a tree fails when some of what it waited for has failed: with what happened at the leaves. */
export function cascadeFailure(
  parent: OperationRow,
  failedChildren: readonly OperationRow[],
): Partial<OperationRow['status']> {
  const errors = failedChildren.flatMap(child => errorsOf(parent, child));
  const more = errors.length - maxErrors;
  return {
    state: 'failed',
    errors: { cascade_errors: errors.slice(0, maxErrors) },
    httpStatus: 502,
    retryable: failedChildren.some(child => child.status.retryable === true),
    ...(more > 0 ? { description: `${more} more failures are not listed` } : {}),
  };
}

function errorsOf(parent: OperationRow, child: OperationRow): JsonObject[] {
  const { cascade_errors: deeper, ...message } = (child.status.errors ?? {}) as JsonObject;
  if (Array.isArray(deeper)) return deeper as JsonObject[];
  return [
    {
      parent_type: parent.spec.resourceType,
      parent_id: parent.spec.resourceId,
      resource_type: child.spec.resourceType,
      resource_id: child.spec.resourceId,
      message,
    },
  ];
}
