import { ChandleryError } from '@chandlery/api/errors';
import { type Commit, type Delete, formatKey, type Put } from './store.ts';
import { uniqueViolation } from './store-errors.ts';

/** Throws when a commit contradicts itself, which no state of the store could make right. */
export function assertConsistent(commit: Commit): void {
  if (commit.writes.length < 2) return;
  assertKeysOnce(commit);
  assertClaimsOnce(commit);
}

function assertKeysOnce({ writes }: Commit): void {
  // Nearly always the names differ, which is known at less than half the price.
  if (new Set(writes.map(({ key }) => key.name)).size === writes.length) return;
  const keys = new Set<string>();
  for (const { key } of writes) {
    const name = formatKey(key);
    if (keys.has(name)) throw new ChandleryError('InternalError', `a commit writes ${name} twice`);
    keys.add(name);
  }
}

function assertClaimsOnce({ writes }: Commit): void {
  const claims = writes.map(claimsOf).filter(({ length }) => length > 0);
  // An object may name a text twice; it takes two to claim it twice.
  if (claims.length < 2) return;
  const claimed = new Set<string>();
  for (const text of claims.flatMap(texts => [...new Set(texts)])) {
    if (claimed.has(text)) throw uniqueViolation(text);
    claimed.add(text);
  }
}

const claimsOf = (write: Put | Delete): readonly string[] => (write.type === 'put' ? (write.unique ?? []) : []);

/** Terms without repetition and in one order, so that equal sets compare equal. */
export const normaliseTerms = (terms: readonly number[]): number[] =>
  terms.length < 2 ? [...terms] : [...new Set(terms)].sort((a, b) => a - b);
