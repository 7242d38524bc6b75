import { userError } from '../definition/user-error.ts';

/** The offer of a version in a configuration. Throws a `userError` that names all versions that are offered. */
export function findOffer<T extends { readonly version: string }>(offers: readonly T[], version: string): T {
  const found = offers.find(offer => offer.version === version);
  if (found !== undefined) return found;
  const versions = offers.map(offer => offer.version).sort();
  throw userError(`version "${version}" is not offered; choose one of: ${versions.join(', ')}`);
}
