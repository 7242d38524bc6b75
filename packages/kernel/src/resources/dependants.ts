import type { ObjectKey, Store } from '../store/store.ts';
import { ownerTerm } from '../store/terms.ts';

/**
 * The keys of the objects of a logical cluster with an owner reference to a uid, of whatever kind, in no particular order.
 * Readers must look at their owner references: another uid may have the same term.
 */
export async function keysOfDependants(
  store: Pick<Store, 'keysWithTerm'>,
  owner: { readonly cluster: string; readonly uid: string },
  limit: number,
): Promise<readonly ObjectKey[]> {
  const keys = await store.keysWithTerm(ownerTerm(owner.cluster, owner.uid), limit);
  return keys.filter(({ cluster }) => cluster === owner.cluster);
}
