import { apiError, fieldCause, invalid } from '@chandlery/api';
import { bootstrapWrites } from '../clusters/bootstrap-objects.ts';
import {
  contentsFinalizer,
  type LogicalCluster,
  onboardingCluster,
  platformCluster,
} from '../clusters/logical-cluster-kind.ts';
import type { ResourceDeps } from '../resources/request.ts';
import { viewChangeCauses } from '../views/view-spec.ts';
import type { Behaviour } from './behaviour.ts';

/** A logical cluster is ready by the one commit that creates it, and stays until its contents are deleted. */
export const logicalClusterBehaviour: Behaviour = {
  async prepareCreate(object, { now, deps }) {
    const cluster = object as LogicalCluster;
    await checkBase(cluster, deps);
    cluster.metadata.finalizers = [...new Set([...(cluster.metadata.finalizers ?? []), contentsFinalizer])];
    cluster.status = {
      phase: 'Ready',
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Serving',
          message: 'The logical cluster is served.',
          lastTransitionTime: now,
        },
      ],
    };
  },
  validateUpdate: (object, live) => viewChangeCauses(object, live),
  // A view holds nothing, not even roles: those of its base count.
  withCreate: (object, { deps, now }) => ({
    writes: (object as LogicalCluster).spec?.view === undefined ? bootstrapWrites(deps, object, now) : [],
  }),
  beforeDelete({ metadata: { name = '' } }) {
    if (name !== platformCluster && name !== onboardingCluster) return;
    throw apiError(
      'Forbidden',
      `logicalclusters.core.chandlery.io "${name}" is forbidden: the landscape cannot do without it`,
      {
        name,
        group: 'core.chandlery.io',
        kind: 'logicalclusters',
      },
    );
  },
  onTerminating(object, { now }) {
    const cluster = object as LogicalCluster;
    cluster.status = {
      phase: 'Terminating',
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          reason: 'Terminating',
          message: 'The logical cluster is being deleted with everything in it.',
          lastTransitionTime: now,
        },
      ],
    };
  },
};

/** A view shows a logical cluster that is there and is no view itself. */
async function checkBase({ metadata: { name = '' }, spec }: LogicalCluster, { clusters }: ResourceDeps): Promise<void> {
  const base = spec?.view?.base;
  if (base === undefined) return;
  const found = await clusters.find(base);
  if (found !== undefined && found.view === undefined) return;
  const why = found === undefined ? 'there is no such logical cluster' : 'it is a view itself';
  throw invalid({ group: 'core.chandlery.io', kind: 'LogicalCluster' }, name, [
    fieldCause.invalid('spec.view.base', base, why),
  ]);
}
