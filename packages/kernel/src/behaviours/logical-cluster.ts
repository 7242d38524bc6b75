import { apiError } from '@chandlery/api';
import { bootstrapWrites } from '../clusters/bootstrap-objects.ts';
import {
  contentsFinalizer,
  type LogicalCluster,
  onboardingCluster,
  platformCluster,
} from '../clusters/logical-cluster-kind.ts';
import type { Behaviour } from './behaviour.ts';

/** A logical cluster is ready by the one commit that creates it, and stays until its contents are gone. */
export const logicalClusterBehaviour: Behaviour = {
  prepareCreate(object, { now }) {
    const cluster = object as LogicalCluster;
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
  withCreate: (object, { needs, now }) => ({ writes: bootstrapWrites(needs, object, now) }),
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
