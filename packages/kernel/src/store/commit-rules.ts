import { ChandleryError } from '@chandlery/api/errors';
import { type Commit, formatKey } from './store.ts';
import { uniqueViolation } from './store-errors.ts';

/** Throws when a commit contradicts itself, which no state of the store could make right. */
export function assertConsistent(commit: Commit): void {
  assertKeysOnce(commit);
  assertClaimsOnce(commit);
}

function assertKeysOnce({ writes }: Commit): void {
  if (writes.length < 2) return;
  const keys = new Set<string>();
  for (const { key } of writes) {
    const name = formatKey(key);
    if (keys.has(name)) throw new ChandleryError('InternalError', `a commit writes ${name} twice`);
    keys.add(name);
  }
}

function assertClaimsOnce({ writes }: Commit): void {
  const claimed = new Set<string>();
  for (const write of writes) {
    if (write.type === 'delete' || write.unique === undefined) continue;
    for (const text of new Set(write.unique)) {
      if (claimed.has(text)) throw uniqueViolation(text);
      claimed.add(text);
    }
  }
}

/** Terms without repetition and in one order, so that equal sets compare equal. */
export const normaliseTerms = (terms: readonly number[]): number[] =>
  terms.length < 2 ? [...terms] : [...new Set(terms)].sort((a, b) => a - b);
