import { isEnded, isEngineWork } from '../../model/operations/operation-state.ts';
import type { OperationRow, Registry, RowChange } from '../../model/rows.ts';

/** Who is woken, and how many open children each parent has. */
interface OperationTriggers extends Disposable {
  openChildren(operation: OperationRow): number;
}

/**
 * Wakes operations when there is something to do about them: when they become work, when the last of their children has
 * ended, when another operation of the same resource has. Counts instead of looking at all siblings each time, so that a
 * tree of n operations costs n wake-ups.
 */
export function startOperationTriggers(
  registry: Registry,
  enqueue: (operation: OperationRow) => void,
): OperationTriggers {
  const openChildren = new Map<string, number>();
  const count = ({ spec }: OperationRow, by: number): void => {
    if (spec.parentId === undefined) return;
    const left = (openChildren.get(spec.parentId) ?? 0) + by;
    if (left > 0) openChildren.set(spec.parentId, left);
    else openChildren.delete(spec.parentId);
    if (left === 0) enqueueById(spec.parentId);
  };
  const enqueueById = (id: string): void => {
    const operation = registry.operations.get(id);
    if (operation !== undefined && isEngineWork(operation)) enqueue(operation);
  };
  const enqueueOthers = ({ id, spec }: OperationRow): void => {
    for (const other of registry.operations.by('resourceId', spec.resourceId))
      if (other.id !== id) enqueueById(other.id);
  };
  const onChange = ({ type, row, previous }: RowChange<OperationRow>): void => {
    const wasGoing = previous !== undefined ? !isEnded(previous) : type === 'removed' && !isEnded(row);
    const isGoing = type !== 'removed' && !isEnded(row);
    if (isGoing && !wasGoing) {
      count(row, 1);
      if (isEngineWork(row)) enqueue(row);
    }
    if (wasGoing && !isGoing) {
      count(row, -1);
      enqueueOthers(row);
    }
  };
  const stop = registry.operations.listen(onChange);
  for (const operation of openOperations(registry)) onChange({ type: 'added', row: operation });
  return { openChildren: ({ id }) => openChildren.get(id) ?? 0, [Symbol.dispose]: stop };
}

/** All operations that have not ended. */
export function openOperations({ operations }: Registry): readonly OperationRow[] {
  const rows = ['pending', 'in progress', 'mitigation'].flatMap(state => [...operations.by('open', state)]);
  return [...new Map(rows.map(row => [row.id, row])).values()];
}
