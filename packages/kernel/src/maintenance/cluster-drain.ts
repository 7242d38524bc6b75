import { rbacGroup } from '../access/index.ts';
import {
  contentsFinalizer,
  forceAnnotation,
  type LogicalCluster,
  logicalClusterResource,
  platformCluster,
} from '../clusters/logical-cluster-kind.ts';
import { crdResource } from '../registry/kind-registry.ts';
import type { ResourceDeps } from '../resources/request.ts';
import { describeRemains, type Remains } from './drain.ts';
import { withConditions } from './drain-conditions.ts';
import { DrainTask } from './drain-task.ts';
import { withoutFinalizer } from './task.ts';

const purgeBatch = 1000;

/** Resources that controllers need to release the other objects; they are deleted last. */
const framework = new Set(['/namespaces', '/serviceaccounts', crdResource]);
const isFramework = (resource: string): boolean => framework.has(resource) || resource.startsWith(`${rbacGroup}/`);

/**
 * Empties logical clusters that are being deleted: deletes their objects, waits for those that have finalizers, then
 * purges every row. The force annotation skips the waiting.
 */
export const clusterDrain = (deps: ResourceDeps): DrainTask =>
  new DrainTask(deps, {
    name: 'cluster-drain',
    resource: logicalClusterResource,
    holderOf: ({ cluster, resource }) =>
      isFramework(resource)
        ? undefined
        : { cluster: platformCluster, resource: logicalClusterResource, namespace: '', name: cluster },
    isWaiting: ({ metadata }) => metadata.finalizers?.includes(contentsFinalizer) ?? false,
    contentsOf: async ({ metadata }, { name: cluster }) => {
      if (metadata.annotations?.[forceAnnotation] === 'true') return undefined;
      const collections = await deps.store.collections(cluster);
      const resources = collections.map(({ resource }) => resource).filter(resource => !isFramework(resource));
      return { cluster, resources };
    },
    report: (live, remains, now) => {
      const cluster = withConditions(live, [contentsRemaining(remains)], now) as LogicalCluster;
      return { ...cluster, status: { ...cluster.status, phase: 'Terminating' } };
    },
    sweep: async ({ name }) => {
      while ((await deps.store.purge(name, purgeBatch)) > 0);
    },
    release: { endpoint: '', change: live => withoutFinalizer(live, contentsFinalizer) },
  });

const contentsRemaining = (remains: Remains) => ({
  type: 'ContentsRemaining',
  status: 'True',
  reason: remains.finalizers.size > 0 ? 'FinalizersRemain' : 'ObjectsRemain',
  message: `Still there: ${describeRemains(remains)}. To delete without waiting, set the annotation ${forceAnnotation}=true.`,
});
