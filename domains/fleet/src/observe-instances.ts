import type { Clock } from '@chandlery/platform';
import type { RowChange } from '@chandlery/registry';
import type { WorkerObserver } from './ports.ts';
import type { FleetRegistry, InstanceRow } from './registry/fleet-registry.ts';

/**
 * Counts what happens to instances, by their changes: orders, deletions, and how long both took. Only one process may do
 * so, or each would count everything. Returns how to stop.
 */
export function observeInstances(
  { instances }: Pick<FleetRegistry, 'instances'>,
  { observer, clock }: { readonly observer: WorkerObserver; readonly clock: Clock },
): () => void {
  const secondsSince = (time: string): number => (clock.now().getTime() - Date.parse(time)) / 1000;
  return instances.listen(({ type, row, previous }: RowChange<InstanceRow>) => {
    if (type === 'added') observer.operation('create', false);
    const from = previous?.status.state;
    const { state, stateSince, readySince } = row.status;
    if (type === 'removed') {
      observer.operation('delete', true);
      if (stateSince !== undefined) observer.jobDone('dinosaur_delete', secondsSince(stateSince));
    } else if (
      state !== from &&
      state === 'ready' &&
      previous?.status.readySince === undefined &&
      readySince !== undefined
    ) {
      observer.operation('create', true);
      observer.jobDone('dinosaur_create', secondsSince(row.createdAt));
    } else if (state !== from && state === 'deprovision') {
      for (const operation of ['deprovision', 'delete'] as const) observer.operation(operation, false);
    } else if (from === 'deprovision' && state === 'deleting') observer.operation('deprovision', true);
  });
}
