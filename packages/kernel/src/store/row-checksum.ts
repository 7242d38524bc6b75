import { crc32 } from 'node:zlib';
import type { ObjectKey } from './store.ts';

/**
 * Checksums of rows. The texts and bytes of a row go through CRC-32, which notices every change of up to four adjacent
 * bytes. The integers are added with a factor each, because PostgreSQL assigns revisions and ids inside the commit: the
 * server adds them to a sum that the client has begun (see {@link integerWeights}). All sums stay below 2^53.
 */

/** The factors of a row's integers. Stored sums depend on them: they never change. */
export const integerWeights = {
  revision: 3,
  createdRevision: 5,
  previousRevision: 7,
  type: 11,
  objectId: 13,
  splice: 17,
} as const;

/** The sum that the rows of an object begin with. `terms` is a list in the driver's own notation. */
export const headSum = ({ cluster, resource, namespace, name }: ObjectKey, terms: string): number =>
  crc32(`${cluster}\n${resource}\n${namespace}\n${name}\n${terms}`);

/** The part of a version's checksum that is known before its revision is. */
export const versionContentSum = (head: number, splice: number, value: Uint8Array): number =>
  crc32(value, head) + integerWeights.splice * splice;

/** The integers of a version that its checksum covers. */
export interface VersionNumbers {
  readonly revision: number;
  readonly created_revision: number;
  readonly previous_revision: number | null;
  readonly type: number;
  readonly object_id: number;
}

/** The checksum of a version: a row of `log`. */
export const versionChecksum = (contentSum: number, numbers: VersionNumbers): number =>
  contentSum +
  integerWeights.revision * numbers.revision +
  integerWeights.createdRevision * numbers.created_revision +
  integerWeights.previousRevision * (numbers.previous_revision ?? 0) +
  integerWeights.type * numbers.type +
  integerWeights.objectId * numbers.object_id;

/** What a row of `objects` holds besides its key, its terms and its integers. */
export interface ObjectDetails {
  /** A list in the driver's own notation; null when there is none. */
  readonly unique: string | null;
  readonly expiresAt: number | null;
}

/** The part of a live object's checksum that is known before its revision is. */
export const objectContentSum = (head: number, { unique, expiresAt }: ObjectDetails): number =>
  unique === null && expiresAt === null ? head : crc32(`${unique}\n${expiresAt}`, head);

/**
 * The checksum of a live object: a row of `objects`. Its id is not covered, because the database assigns it; the version
 * that the row points to holds the id as well.
 */
export const objectChecksum = (contentSum: number, revision: number, createdRevision: number): number =>
  contentSum + integerWeights.revision * revision + integerWeights.createdRevision * createdRevision;

/** The checksum of a row of texts alone: a fact, a collection. */
export const textChecksum = (...texts: readonly string[]): number => crc32(texts.join('\n'));
