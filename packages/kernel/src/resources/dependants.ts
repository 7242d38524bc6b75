import { Pace } from '@chandlery/platform';
import { decodeValue } from '../codec/stored-value.ts';
import type { StoredObject } from '../store/store.ts';
import { ownerTerm } from '../store/terms.ts';
import type { ResourceDeps } from './request.ts';

/** A dependant and its object as stored. */
export interface Dependant {
  readonly stored: StoredObject;
  readonly object: ReturnType<typeof decodeValue>;
}

/**
 * The objects of a logical cluster with an owner reference to a uid, of whatever kind, in no particular order. They are read
 * as they are taken: all of them may be more than fits into memory.
 */
export async function* dependantsOf(
  { store, codec }: Pick<ResourceDeps, 'store' | 'codec'>,
  owner: { readonly cluster: string; readonly uid: string },
  limit: number,
): AsyncGenerator<Dependant> {
  const pace = new Pace();
  for await (const stored of store.withTerm(ownerTerm(owner.cluster, owner.uid), limit)) {
    if (stored.key.cluster !== owner.cluster) continue;
    if (pace.isDue) await pace.rest();
    const object = decodeValue(codec.open(stored.key, stored.value), stored.revision);
    if (object.metadata.ownerReferences?.some(({ uid }) => uid === owner.uid)) yield { stored, object };
  }
}
