import type { WorkResult } from '@chandlery/runtime';
import { enginePaths, isEngineWork, isInCascade, isUnderMitigation } from '../../model/operations/operation-state.ts';
import type { OperationRow } from '../../model/rows.ts';
import type { EngineDeps } from './engine-deps.ts';
import { executeOperation } from './execute-operation.ts';
import { mitigate } from './mitigate.ts';
import { prepareCascade } from './prepare-cascade.ts';
import { endPlatformCascade } from './remove-platform.ts';

/** Takes an operation one response further, from wherever its row says it is. */
export async function reconcileOperation(deps: EngineDeps, id: string): Promise<WorkResult> {
  const operation = deps.registry.operations.get(id);
  if (operation === undefined || !isEngineWork(operation)) return 'done';
  const waitMs = Date.parse(operation.status.nextAttemptAt ?? '') - deps.clock.now().getTime();
  if (waitMs > 0) return { requeueAfterMs: waitMs };
  if (isUnderMitigation(operation)) return mitigate(deps, operation);
  return isInCascade(operation) ? reconcileInTree(deps, operation) : executeOperation(deps, operation);
}

async function reconcileInTree(deps: EngineDeps, operation: OperationRow): Promise<WorkResult> {
  const preparation = await prepareCascade(deps, operation);
  if (preparation !== 'begun') return preparation;
  const begun = deps.registry.operations.get(operation.id);
  if (begun === undefined || !isEngineWork(begun)) return 'done';
  if (begun.spec.resourceType !== enginePaths.platforms) return executeOperation(deps, begun);
  await endPlatformCascade(deps.registry, begun.id, begun.spec.resourceId);
  return 'done';
}
