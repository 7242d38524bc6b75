import type { KubeObject } from '@chandlery/api';
import { isDeleting } from '@chandlery/runtime';
import type { Cluster } from '../../kinds/cluster.ts';
import { hash8, shorten } from '../../kinds/hashed-names.ts';
import { systemNamespace } from '../../kinds/names.ts';

export const logicalClusters = { group: 'core.chandlery.io', version: 'v1alpha1', plural: 'logicalclusters' };

/** On a LogicalCluster: the namespace and name of the Cluster that it was created for. */
export const madeForAnnotation = 'clusters.chandlery.io/cluster';

/** Logical clusters that always exist. */
const lasting: ReadonlySet<string> = new Set(['platform', 'onboarding']);

export const isLasting = (name: string): boolean => lasting.has(name);

/**
 * The name of a Cluster's logical cluster: the same, or with a hash outside the system namespace and for names with
 * dots, which paths of logical clusters do not have.
 */
export function logicalName({ metadata: { namespace = '', name = '' } }: Cluster): string {
  const isSame = namespace === systemNamespace && !name.includes('.');
  return shorten(isSame ? name : `${name.replaceAll('.', '-')}-${hash8(namespace, name)}`);
}

export const clusterKey = ({ metadata: { namespace = '', name = '' } }: Cluster): string => `${namespace}/${name}`;

export function newLogicalCluster(cluster: Cluster): KubeObject {
  return {
    apiVersion: 'core.chandlery.io/v1alpha1',
    kind: 'LogicalCluster',
    metadata: { name: logicalName(cluster), annotations: { [madeForAnnotation]: clusterKey(cluster) } },
    spec: { displayName: clusterKey(cluster).slice(0, 256) },
  };
}

/** The relation of a logical cluster to a Cluster. */
export type Relation = 'missing' | 'ours' | 'leaving' | 'foreign';

export function relationOf(found: KubeObject | undefined, cluster: Cluster): Relation {
  if (found === undefined) return 'missing';
  const isOurs = isLasting(logicalName(cluster)) || madeFor(found) === clusterKey(cluster);
  if (!isOurs) return 'foreign';
  return isDeleting(found) ? 'leaving' : 'ours';
}

/** The key of the Cluster that a logical cluster was created for. */
export function madeFor({ metadata: { name = '', annotations } }: KubeObject): string | undefined {
  return isLasting(name) ? `${systemNamespace}/${name}` : annotations?.[madeForAnnotation];
}
