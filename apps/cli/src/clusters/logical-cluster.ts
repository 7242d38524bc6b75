import { ChandleryError, type Condition, isError, type KubeObject } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import { didYouMean } from '@chandlery/platform';

/** Heading in the overview of commands. */
export const clustersGroup = 'Clusters, tenants and users';

/** The collection of logical clusters. */
export const logicalClusters = {
  group: 'core.chandlery.io',
  version: 'v1alpha1',
  plural: 'logicalclusters',
} as const satisfies ResourceRef;

/** Set on a logical cluster in deletion: do not wait for finalizers. */
export const forceAnnotation = 'core.chandlery.io/force-deletion';

/** A Kubernetes API inside the landscape. */
export interface LogicalCluster extends KubeObject {
  spec?: {
    displayName?: string;
    admins?: { kind: 'User' | 'Group'; name: string }[];
    /** Set on a view, which shows a part of another cluster. */
    view?: { base: string };
  };
  status?: { phase?: string; conditions?: Condition[] };
}

/** Reads a logical cluster. Rejects with `NotFound`, which names a similar one. */
export async function findLogicalCluster(platform: Client, name: string): Promise<LogicalCluster> {
  try {
    return await platform.get<LogicalCluster>({ ...logicalClusters, name });
  } catch (cause) {
    if (!isError(cause, 'NotFound')) throw cause;
    const { items } = await platform.list(logicalClusters);
    const names = items.map(({ metadata }) => metadata.name ?? '');
    throw new ChandleryError('NotFound', `there is no logical cluster "${name}"${didYouMean(name, names)}`, {
      hint: 'See what there is with "npx chandlery cluster list".',
      cause,
    });
  }
}

export const conditionOf = (cluster: LogicalCluster | undefined, type: string): Condition | undefined =>
  cluster?.status?.conditions?.find(condition => condition.type === type);

export const isReady = (cluster: LogicalCluster | undefined): boolean =>
  conditionOf(cluster, 'Ready')?.status === 'True' && cluster?.metadata.deletionTimestamp === undefined;
