import { indexTerm } from '../../registry/fleet-registry.ts';
import type { Enqueue, InstanceWorkerDefinition } from '../worker-definition.ts';
import type { WorkerDeps } from '../worker-deps.ts';
import { leaveDataPlane } from './leave-data-plane.ts';
import { leaveRecord } from './leave-record.ts';
import { removeClient } from './remove-client.ts';
import { removeDnsRecords } from './remove-dns-records.ts';

/** Removes everything that belongs to an instance, and the instance last. Never gives up. */
export const deletingWorker: InstanceWorkerDefinition = {
  name: 'deleting',
  states: ['deprovision', 'deleting'],
  deadlinesIn: ['deprovision', 'deleting'],
  steps: [leaveDataPlane, removeDnsRecords, removeClient, leaveRecord],
  listen: listenToClusters,
};

/** An instance whose cluster no longer exists waits for no agent. */
function listenToClusters({ registry }: WorkerDeps, enqueue: Enqueue): () => void {
  return registry.clusters.listen(({ type, row }) => {
    if (type !== 'removed' && row.status.lost !== true) return;
    for (const instance of registry.instances.by('cluster', indexTerm(row.spec.product, row.spec.clusterId)))
      enqueue(instance);
  });
}
