import { enginePaths, isEngineWork, isInCascade, isUnderMitigation } from '../../model/operations/operation-state.ts';
import type { OperationRow } from '../../model/rows.ts';
import type { EngineNeeds, LookAgain } from './engine-deps.ts';
import { carryOut } from './execute-operation.ts';
import { mitigate } from './mitigate.ts';
import { prepareCascade } from './prepare-cascade.ts';
import { endPlatformCascade } from './remove-platform.ts';

/** Takes an operation one answer further, from wherever its row says it is. */
export async function driveOperation(needs: EngineNeeds, id: string): Promise<LookAgain> {
  const operation = needs.registry.operations.get(id);
  if (operation === undefined || !isEngineWork(operation)) return undefined;
  const waitMs = Date.parse(operation.status.nextAttemptAt ?? '') - needs.clock.now().getTime();
  if (waitMs > 0) return waitMs;
  if (isUnderMitigation(operation)) return mitigate(needs, operation);
  return isInCascade(operation) ? driveInTree(needs, operation) : carryOut(needs, operation);
}

async function driveInTree(needs: EngineNeeds, operation: OperationRow): Promise<LookAgain> {
  const preparation = await prepareCascade(needs, operation);
  if (!preparation.begins) return preparation.lookAgain;
  const begun = needs.registry.operations.get(operation.id);
  if (begun === undefined || !isEngineWork(begun)) return undefined;
  if (begun.spec.resourceType !== enginePaths.platforms) return carryOut(needs, begun);
  await endPlatformCascade(needs.registry, begun.id, begun.spec.resourceId);
  return undefined;
}
