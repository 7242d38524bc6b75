import { createHash } from 'node:crypto';
import type { KindDeclaration } from '@chandlery/api';
import type { CatalogueVersion } from '../discovery/catalogue.ts';
import { metaSchemas } from './meta-schemas.ts';

/** To be raised when equal kinds are published differently; clients keep documents for ever by hash. */
const publicationLevel = 1;

const sharedPart = JSON.stringify([publicationLevel, metaSchemas]);
const declarationHashes = new WeakMap<KindDeclaration, string>();

/** Names a group version's document by everything that it is made of, without rendering it. */
export function contentHash(
  { group, version, resources }: CatalogueVersion,
  reviews: readonly KindDeclaration[],
): string {
  const hash = createHash('sha256').update(sharedPart).update(`${group}/${version}`);
  for (const declaration of [...resources.map(resource => resource.declaration), ...reviews])
    hash.update(hashOf(declaration));
  return hash.digest('hex').slice(0, 32).toUpperCase();
}

/** Declarations never change, so each is hashed once. */
function hashOf(declaration: KindDeclaration): string {
  const known = declarationHashes.get(declaration);
  if (known !== undefined) return known;
  const hash = createHash('sha256').update(JSON.stringify(declaration)).digest('hex');
  declarationHashes.set(declaration, hash);
  return hash;
}
