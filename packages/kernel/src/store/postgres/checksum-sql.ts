import { integerWeights as weights } from '../row-checksum.ts';

/** SQL for the integers of a version. */
interface VersionNumbersSql {
  readonly revision: string;
  readonly created: string;
  readonly previous: string;
  readonly type: string;
  readonly objectId: string;
}

/** What `versionChecksum` computes, as SQL. */
export const versionChecksumSql = (contentSum: string, numbers: VersionNumbersSql): string =>
  [
    contentSum,
    `${weights.revision} * (${numbers.revision})`,
    `${weights.createdRevision} * (${numbers.created})`,
    `${weights.previousRevision} * (${numbers.previous})`,
    `${weights.type} * (${numbers.type})`,
    `${weights.objectId} * (${numbers.objectId})`,
  ].join(' + ');

/** What `objectChecksum` computes, as SQL. */
export const objectChecksumSql = (
  contentSum: string,
  { revision, created }: { readonly revision: string; readonly created: string },
): string => `${contentSum} + ${weights.revision} * (${revision}) + ${weights.createdRevision} * (${created})`;
