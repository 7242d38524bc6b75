import { enginePaths, isOpen } from '../../model/operations/operation-state.ts';
import type { BindingRow, InstanceRow, OperationRow, PlatformRow, Registry } from '../../model/rows.ts';
import { bindingsOf } from '../../model/sharing/rows-of-instance.ts';
import type { AdoptionKey } from './start-adoption.ts';

/**
 * Calls back with every row that may have a wish: at the start, when it changes, and when what it waits for does. Rows that
 * are as they should be are passed over here, so that the many made by other doors cost nothing. Returns how to stop it.
 */
export function listenForAdoption(registry: Registry, wake: (key: AdoptionKey) => void): () => void {
  /** Instances whose plan was not to be found: any new plan or visibility may be the one. */
  const planless = new Set<string>();
  const wakeInstance = (row: InstanceRow | undefined): void => {
    if (row !== undefined && hasWish(row)) wake({ table: 'instances', id: row.id, tenant: row.tenant });
  };
  const wakeBinding = (row: BindingRow | undefined): void => {
    if (row !== undefined && hasWish(row)) wake({ table: 'bindings', id: row.id, tenant: row.tenant });
  };
  const wakePlatform = (row: PlatformRow | undefined): void => {
    if (row !== undefined && hasWish(row)) wake({ table: 'platforms', id: row.id, tenant: row.tenant });
  };
  const heardInstance = (type: string, row: InstanceRow): void => {
    if (type !== 'removed' && isPlanless(row)) planless.add(row.id);
    else planless.delete(row.id);
    if (type === 'removed') {
      wakePlatform(registry.platforms.get(row.spec.platformId ?? ''));
      wakeInstance(registry.instances.get(row.spec.referencedInstanceId ?? ''));
    } else if (!isPlanless(row) || row.isDeleting || row.generation !== row.status.observedGeneration)
      wakeInstance(row);
    for (const binding of bindingsOf(registry, row)) wakeBinding(binding);
  };
  const heardBinding = (type: string, row: BindingRow): void => {
    if (type === 'removed') wakeInstance(registry.instances.get(row.spec.instanceId));
    else wakeBinding(row);
  };
  const heardOperation = (row: OperationRow): void => {
    if (isOpen(row)) return;
    if (row.spec.resourceType === enginePaths.bindings) wakeBinding(registry.bindings.get(row.spec.resourceId));
    else wakeInstance(registry.instances.get(row.spec.resourceId));
  };
  const wakePlanless = (): void => {
    for (const id of planless) wakeInstance(registry.instances.get(id));
  };
  const stops = [
    registry.instances.listen(({ type, row }) => heardInstance(type, row)),
    registry.bindings.listen(({ type, row }) => heardBinding(type, row)),
    registry.platforms.listen(({ type, row }) => type !== 'removed' && wakePlatform(row)),
    registry.operations.listen(({ type, row }) => type !== 'removed' && heardOperation(row)),
    registry.plans.listen(wakePlanless),
    registry.visibilities.listen(wakePlanless),
  ];
  for (const row of registry.platforms.all()) wakePlatform(row);
  for (const row of registry.instances.all()) heardInstance('added', row);
  for (const row of registry.bindings.all()) wakeBinding(row);
  wakePlanless();
  return () => {
    for (const stop of stops) stop();
  };
}

/** Whether a row is anything but ready and as its generation says. A row that waits for its first operation to end is not ours yet. */
function hasWish({ isDeleting, generation, status }: InstanceRow | BindingRow | PlatformRow): boolean {
  if (isDeleting || status.ready === undefined) return true;
  if (status.ready === false) return isFailedCondition(status.conditions);
  return (
    (status.observedGeneration !== undefined && status.observedGeneration !== generation) ||
    isFailedCondition(status.conditions)
  );
}

const isFailedCondition = (conditions: InstanceRow['status']['conditions']): boolean =>
  conditions?.some(({ type, status }) => type === 'Synced' && status === 'False') === true;

const isPlanless = ({ status }: InstanceRow): boolean =>
  status.conditions?.some(({ reason }) => reason === 'PlanNotFound' || reason === 'PlanAmbiguous') === true;
