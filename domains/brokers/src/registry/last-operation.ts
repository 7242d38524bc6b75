import { comparePlaces, OrderedRows, type Placed } from './ordered-rows.ts';
import type { OperationRow, Registry } from './registry.ts';

/** The newest operation on a resource; undefined when there is none (any more). */
export function lastOperationOf(
  registry: Pick<Registry, 'operations'>,
  resourceType: string,
  resourceId: string,
): OperationRow | undefined {
  for (const operation of newestFirst(registry.operations.by('resourceId', resourceId)))
    if (operation.spec.resourceType === resourceType) return operation;
  return undefined;
}

/** Our own tables know the order, so that only the last row is looked at. */
const newestFirst = <R extends Placed>(rows: Iterable<R>): Iterable<R> =>
  rows instanceof OrderedRows ? rows.newestFirst() : [...rows].sort((one, other) => comparePlaces(other, one));
