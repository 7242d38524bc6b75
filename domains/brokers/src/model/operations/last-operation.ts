import { comparePlaces, OrderedRows, type Placed } from '@chandlery/registry';
import type { OperationRow, Registry } from '../rows.ts';

/** The newest operation on a resource that there is or was a row of; undefined when there is none (any more). */
export function lastOperationOf(
  registry: Pick<Registry, 'operations'>,
  resourceType: string,
  resourceId: string,
): OperationRow | undefined {
  for (const operation of newestFirst(registry.operations.by('resourceId', resourceId)))
    if (operation.spec.resourceType === resourceType && operation.spec.isOfUnknown !== true) return operation;
  return undefined;
}

/** Our own tables know the order, so that only the last row is looked at. Most resources have one operation or none. */
function newestFirst<R extends Placed>(rows: Iterable<R>): Iterable<R> {
  if (rows instanceof OrderedRows) return rows.newestFirst();
  return isOneAtMost(rows) ? rows : [...rows].sort((one, other) => comparePlaces(other, one));
}

const isOneAtMost = (rows: Iterable<unknown>): boolean => Array.isArray(rows) && rows.length < 2;
