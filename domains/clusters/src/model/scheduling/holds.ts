import type { Cluster } from '../../kinds/cluster.ts';
import { clusterNames } from '../../kinds/names.ts';

const prefix = clusterNames.requestFinalizerPrefix;

/** The finalizer by which a request holds its cluster. */
export const holdOf = (requestUid: string): string => `${prefix}${requestUid}`;

/** The uids of the requests that hold a cluster. Their number is the tenancy count. */
export const holdersOf = ({ metadata }: Pick<Cluster, 'metadata'>): readonly string[] =>
  (metadata.finalizers ?? []).filter(name => name.startsWith(prefix)).map(name => name.slice(prefix.length));

export const isHeldBy = ({ metadata }: Pick<Cluster, 'metadata'>, requestUid: string): boolean =>
  metadata.finalizers?.includes(holdOf(requestUid)) ?? false;

/** A cluster's finalizers without those of some requests. */
export const withoutHolds = ({ metadata }: Pick<Cluster, 'metadata'>, requestUids: readonly string[]): string[] =>
  (metadata.finalizers ?? []).filter(name => !requestUids.some(uid => holdOf(uid) === name));
