import type { ObjectDetails } from '../row-checksum.ts';
import type { Put } from '../store.ts';

/** What an object's checksum covers. Unique keys are JSON: PostgreSQL's own notation depends on what they contain. */
export const objectDetails = ({ unique = [], expiresAt = null }: ClaimingPut): ObjectDetails => ({
  unique: unique.length === 0 ? null : JSON.stringify([...new Set(unique)]),
  expiresAt,
});

interface ClaimingPut extends Pick<Put, 'unique'> {
  readonly expiresAt?: number | null;
}
