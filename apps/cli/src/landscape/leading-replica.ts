import type { KubeObject } from '@chandlery/api';

/** The part of a replica's report that this reads. */
type LeaderReport = Pick<KubeObject, 'metadata'> & { readonly spec?: { readonly isLeader?: boolean } };

/**
 * The name of the replica that leads: of those whose reports say so, the one that has written last. The report of a
 * replica that was killed is there for another minute, and may still say that it leads.
 */
export const leadingReplica = (reports: readonly LeaderReport[]): string | undefined =>
  reports
    .filter(({ spec }) => spec?.isLeader === true)
    .toSorted((a, b) => revisionOf(b) - revisionOf(a))
    .at(0)?.metadata.name;

const revisionOf = ({ metadata: { resourceVersion = '0' } }: LeaderReport): number => Number(resourceVersion);
