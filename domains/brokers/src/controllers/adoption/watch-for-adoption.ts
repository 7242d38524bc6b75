import { enginePaths, isOpen } from '../../model/operations/operation-state.ts';
import type { BindingRow, InstanceRow, OperationRow, PlatformRow, Registry } from '../../model/rows.ts';
import { bindingsOf } from '../../model/sharing/rows-of-instance.ts';
import type { AdoptionKey } from './start-adoption.ts';

/**
 * Calls `enqueue` for every row that may need adoption: at the start, when it changes, and when something that it waits
 * for changes. Rows that are ready and observed are skipped, so rows created by other APIs cost nothing. Returns how to
 * stop.
 */
export function watchForAdoption(registry: Registry, enqueue: (key: AdoptionKey) => void): () => void {
  /** Instances whose plan was not to be found: any new plan or visibility may be the one. */
  const planless = new Set<string>();
  const enqueueInstance = (row: InstanceRow | undefined): void => {
    if (row !== undefined && needsAdoption(row)) enqueue({ table: 'instances', id: row.id, tenant: row.tenant });
  };
  const enqueueBinding = (row: BindingRow | undefined): void => {
    if (row !== undefined && needsAdoption(row)) enqueue({ table: 'bindings', id: row.id, tenant: row.tenant });
  };
  const enqueuePlatform = (row: PlatformRow | undefined): void => {
    if (row !== undefined && needsAdoption(row)) enqueue({ table: 'platforms', id: row.id, tenant: row.tenant });
  };
  const onInstance = (type: string, row: InstanceRow): void => {
    if (type !== 'removed' && isPlanless(row)) planless.add(row.id);
    else planless.delete(row.id);
    if (type === 'removed') {
      enqueuePlatform(registry.platforms.get(row.spec.platformId ?? ''));
      enqueueInstance(registry.instances.get(row.spec.referencedInstanceId ?? ''));
    } else if (!isPlanless(row) || row.isDeleting || row.generation !== row.status.observedGeneration)
      enqueueInstance(row);
    for (const binding of bindingsOf(registry, row)) enqueueBinding(binding);
  };
  const onBinding = (type: string, row: BindingRow): void => {
    if (type === 'removed') enqueueInstance(registry.instances.get(row.spec.instanceId));
    else enqueueBinding(row);
  };
  const onOperation = (row: OperationRow): void => {
    if (isOpen(row)) return;
    if (row.spec.resourceType === enginePaths.bindings) enqueueBinding(registry.bindings.get(row.spec.resourceId));
    else enqueueInstance(registry.instances.get(row.spec.resourceId));
  };
  const enqueuePlanless = (): void => {
    for (const id of planless) enqueueInstance(registry.instances.get(id));
  };
  const stops = [
    registry.instances.listen(({ type, row }) => onInstance(type, row)),
    registry.bindings.listen(({ type, row }) => onBinding(type, row)),
    registry.platforms.listen(({ type, row }) => type !== 'removed' && enqueuePlatform(row)),
    registry.operations.listen(({ type, row }) => type !== 'removed' && onOperation(row)),
    registry.plans.listen(enqueuePlanless),
    registry.visibilities.listen(enqueuePlanless),
  ];
  for (const row of registry.platforms.all()) enqueuePlatform(row);
  for (const row of registry.instances.all()) onInstance('added', row);
  for (const row of registry.bindings.all()) enqueueBinding(row);
  enqueuePlanless();
  return () => {
    for (const stop of stops) stop();
  };
}

/** Whether a row is anything but ready and as its generation says. A row that waits for its first operation to end is not ours yet. */
function needsAdoption({ isDeleting, generation, status }: InstanceRow | BindingRow | PlatformRow): boolean {
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
