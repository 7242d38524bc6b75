import { enginePaths, isEngineWork, isInCascade, isUnderMitigation } from '../../model/operations/operation-state.ts';
import type { OperationRow } from '../../model/rows.ts';
import type { EngineDeps, RequeueAfter } from './engine-deps.ts';
import { executeOperation } from './execute-operation.ts';
import { mitigate } from './mitigate.ts';
import { prepareCascade } from './prepare-cascade.ts';
import { endPlatformCascade } from './remove-platform.ts';

/** Takes an operation one answer further, from wherever its row says it is. */
export async function reconcileOperation(deps: EngineDeps, id: string): Promise<RequeueAfter> {
  const operation = deps.registry.operations.get(id);
  if (operation === undefined || !isEngineWork(operation)) return undefined;
  const waitMs = Date.parse(operation.status.nextAttemptAt ?? '') - deps.clock.now().getTime();
  if (waitMs > 0) return waitMs;
  if (isUnderMitigation(operation)) return mitigate(deps, operation);
  return isInCascade(operation) ? reconcileInTree(deps, operation) : executeOperation(deps, operation);
}

async function reconcileInTree(deps: EngineDeps, operation: OperationRow): Promise<RequeueAfter> {
  const preparation = await prepareCascade(deps, operation);
  if (!preparation.begins) return preparation.requeueAfterMs;
  const begun = deps.registry.operations.get(operation.id);
  if (begun === undefined || !isEngineWork(begun)) return undefined;
  if (begun.spec.resourceType !== enginePaths.platforms) return executeOperation(deps, begun);
  await endPlatformCascade(deps.registry, begun.id, begun.spec.resourceId);
  return undefined;
}
