import { indexTerm } from '../../registry/fleet-registry.ts';
import type { Enqueue, InstanceWorkerDefinition } from '../worker-definition.ts';
import type { WorkerDeps } from '../worker-deps.ts';
import { admit } from './admit.ts';
import { chooseVersions } from './choose-versions.ts';
import { createPlace } from './place.ts';
import { WaitingInstances } from './waiting-instances.ts';

/** Admits what kubectl made, finds a cluster and chooses versions: from accepted to preparing. */
export function acceptedWorker(waiting: WaitingInstances = new WaitingInstances()): InstanceWorkerDefinition {
  return {
    name: 'accepted',
    states: ['unadmitted', 'accepted'],
    deadlinesIn: ['accepted'],
    steps: [admit, createPlace(waiting), chooseVersions],
    listen: (deps, enqueue) => {
      const stops = [waiting.listen(deps, enqueue), listenToVersions(deps, enqueue)];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

/** Instances on a cluster wait for its first versions. */
export function listenToVersions({ registry }: WorkerDeps, enqueue: Enqueue): () => void {
  return registry.clusters.listen(({ row, previous }) => {
    if (row.status.operatorVersions === previous?.status.operatorVersions) return;
    for (const instance of registry.instances.by('cluster', indexTerm(row.spec.product, row.spec.clusterId)))
      enqueue(instance);
  });
}
