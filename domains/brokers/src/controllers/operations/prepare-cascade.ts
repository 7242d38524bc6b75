import { commitAnew } from '@chandlery/registry';
import type { WorkResult } from '@chandlery/runtime';
import { smError } from '../../errors.ts';
import { cascadeFailure } from '../../model/operations/cascade-errors.ts';
import { endOperation, failOperation } from '../../model/operations/operation-end.ts';
import { enginePaths, isEngineWork, isOpen } from '../../model/operations/operation-state.ts';
import { waitedForBy } from '../../model/operations/plan-cascade.ts';
import { type OperationRow, type Registry, type RegistryWrite, updateRow } from '../../model/rows.ts';
import { countBindings, referencesOf } from '../../model/sharing/rows-of-instance.ts';
import type { EngineDeps } from './engine-deps.ts';

/** Whether a deletion in a tree begins now. If not, how its reconcile ends. */
type Preparation = 'begun' | WorkResult;

/** How long rows of a tree that another process has written may take to arrive one after the other. */
const arrivalMs = 5000;

/**
 * Begins a deletion of a cascade when all its children are deleted, and fails it when a child has failed for good.
 * Until then it waits: the end of a child enqueues its parent.
 */
export async function prepareCascade(deps: EngineDeps, operation: OperationRow): Promise<Preparation> {
  const { registry } = deps;
  if (operation.status.state !== 'pending') return 'begun';
  const waitedFor = registry.operations.get(waitedForBy(operation) ?? '');
  if (waitedFor !== undefined && isEngineWork(waitedFor)) return 'done';
  if (deps.openChildren(operation) > 0) return 'done';
  const failed = failedOf(waitedFor, registry.operations.by('parentId', operation.id));
  if (failed.length > 0) return end(deps, operation, fresh => endOperation(fresh, cascadeFailure(fresh, failed)));
  const left = countDependants(registry, operation);
  if (left > 0) return awaitDependants(deps, operation, left);
  await commitPending(registry, operation, begin);
  const isBegun = registry.operations.get(operation.id)?.status.state === 'in progress';
  return isBegun ? 'begun' : 'done';
}

function failedOf(waitedFor: OperationRow | undefined, children: Iterable<OperationRow>): OperationRow[] {
  const all = waitedFor === undefined ? [...children] : [waitedFor, ...children];
  return all.filter(({ status }) => status.state === 'failed');
}

const begin = (operation: OperationRow): RegistryWrite[] => [
  updateRow({ table: 'operations', row: operation, status: { ...operation.status, state: 'in progress' } }),
];

/** What a broker or the registry would miss if this went first. */
function countDependants(registry: Registry, { spec }: OperationRow): number {
  if (spec.resourceType === enginePaths.platforms) return registry.instances.count('platformId', spec.resourceId);
  if (spec.resourceType !== enginePaths.instances) return 0;
  const instance = registry.instances.get(spec.resourceId);
  return instance === undefined ? 0 : countBindings(registry, instance) + referencesOf(registry, instance).length;
}

/** Either their deletions have not arrived here yet, or they came after the tree was planned. */
function awaitDependants(deps: EngineDeps, operation: OperationRow, left: number): Promise<Preparation> | Preparation {
  const ageMs = deps.clock.now().getTime() - Date.parse(operation.createdAt);
  if (ageMs < arrivalMs) return { requeueAfterMs: 250 };
  const error = smError('Conflict', `${left} dependants were added meanwhile: delete it again`, {
    isRetryable: true,
  });
  return end(deps, operation, fresh => failOperation(fresh, error));
}

async function end(
  { registry }: EngineDeps,
  operation: OperationRow,
  decide: (fresh: OperationRow) => RegistryWrite[],
): Promise<Preparation> {
  await commitPending(registry, operation, decide);
  return 'done';
}

const commitPending = (
  registry: Registry,
  { id }: OperationRow,
  decide: (fresh: OperationRow) => RegistryWrite[],
): Promise<void> =>
  commitAnew(registry, () => {
    const fresh = registry.operations.get(id);
    return fresh !== undefined && isOpen(fresh) ? decide(fresh) : [];
  });
