import { ChandleryError } from '@chandlery/api';
import { readReencryption, type Store } from '@chandlery/kernel';
import type { LandscapeKeys } from '@chandlery/platform';

type Keys = Pick<LandscapeKeys, 'folder' | 'identity'>;

/** The fact that says which landscape's keys a store needs. */
const identityFact = 'landscape-identity';

/**
 * Notes whose store it is, or throws `KeysMismatch`. Replicas share one set of keys; with others, secrets could not be read
 * and tokens would be rejected.
 */
export async function claimStore(
  store: Store,
  keys: Keys & Pick<LandscapeKeys, 'fingerprint' | 'encryptionKeyIds'>,
): Promise<void> {
  const identity = await store.facts.get(identityFact);
  if (identity === undefined) {
    // Earlier versions noted a fingerprint that depends on keys which can be replaced by now.
    const owner = await store.facts.putIfAbsent('landscape-keys', keys.fingerprint);
    if (owner !== keys.fingerprint) throw keysMismatch(keys);
  }
  const owner = identity ?? (await store.facts.putIfAbsent(identityFact, keys.identity));
  if (owner !== keys.identity) throw keysMismatch(keys);
  const pass = await readReencryption(store);
  if (pass !== undefined && !keys.encryptionKeyIds.some(({ id }) => id === pass.keyId)) throw keysMismatch(keys);
}

/** Throws `KeysMismatch` unless a server with these keys has started on the store. */
export async function assertStoreOf(store: Pick<Store, 'facts'>, keys: Keys): Promise<void> {
  if ((await store.facts.get(identityFact)) === keys.identity) return;
  throw new ChandleryError('KeysMismatch', `the store is not that of the landscape with the keys in ${keys.folder}`, {
    hint: 'Name the database of the landscape with --database; without it, the store beside the folder is read.',
  });
}

const keysMismatch = ({ folder }: Keys): ChandleryError =>
  new ChandleryError('KeysMismatch', `the keys in ${folder} are not those of the landscape in the database`, {
    hint: 'copy the folder "keys" from the data folder of a replica that runs on this database, then start again',
  });
