import { decodeValue } from '../codec/stored-value.ts';
import type { StoredObject } from '../store/store.ts';
import { ownerTerm } from '../store/terms.ts';
import type { ResourceDeps } from './request.ts';

/** A dependant and its object as stored. */
export interface Dependant {
  readonly stored: StoredObject;
  readonly object: ReturnType<typeof decodeValue>;
}

/** The objects of a logical cluster with an owner reference to a uid, of whatever kind, in no particular order. */
export async function dependantsOf(
  { store, codec }: Pick<ResourceDeps, 'store' | 'codec'>,
  owner: { readonly cluster: string; readonly uid: string },
  limit: number,
): Promise<readonly Dependant[]> {
  const found = await store.withTerm(ownerTerm(owner.cluster, owner.uid), limit);
  return found
    .filter(({ key }) => key.cluster === owner.cluster)
    .map(stored => ({ stored, object: decodeValue(codec.open(stored.key, stored.value), stored.revision) }))
    .filter(({ object }) => object.metadata.ownerReferences?.some(({ uid }) => uid === owner.uid));
}
