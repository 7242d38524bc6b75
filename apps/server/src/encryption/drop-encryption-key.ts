import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ChandleryError } from '@chandlery/api';
import { databaseFile, openStore, readReencryption, type Store } from '@chandlery/kernel';
import { listEncryptionKeys, lockFolder, openLandscapeKeys, removeEncryptionKey } from '@chandlery/platform';
import { landscapeReplicas } from '../replicas/landscape-replica.ts';
import { countCiphertexts } from './count-ciphertexts.ts';
import { assertStoreOf } from './keys-of-store.ts';

export interface DropKeyRequest {
  /** The keys folder. */
  readonly folder: string;
  readonly keyId: string;
  readonly dataDir: string;
  /** Default: SQLite in the data folder. */
  readonly database?: string;
}

/**
 * Removes an encryption key from a keys folder. Rejects with `KeyInUse` while anything needs it, and with `KeysMismatch`
 * when the store that was read is not that of the keys: it could not say what needs the key.
 */
export async function dropEncryptionKey({ folder, keyId, dataDir, database }: DropKeyRequest): Promise<void> {
  if (database === undefined && !existsSync(join(dataDir, databaseFile))) throw noStore(dataDir);
  using _lock = database === undefined ? lockFolder(dataDir) : undefined;
  const keys = listEncryptionKeys(folder);
  if (keys[0] !== keyId && keys.includes(keyId)) {
    await using store = await openStore(
      database === undefined ? { type: 'sqlite', folder: dataDir } : { type: 'postgres', url: database },
    );
    await assertUnused(store, folder, keyId);
  }
  removeEncryptionKey(folder, keyId);
}

async function assertUnused(store: Store, folder: string, keyId: string): Promise<void> {
  const keys = openLandscapeKeys(folder, { now: new Date() });
  await assertStoreOf(store, keys);
  const users = await replicasWith(store, keyId);
  if (users.length > 0)
    throw keyInUse(
      `these replicas encrypt with it: ${users.join(', ')}`,
      'Give them the keys folder and restart them.',
    );
  const { objects = 0, history = 0 } = (await countCiphertexts(store, keys.keyring)).get(keyId) ?? {};
  if (objects > 0) {
    const pass = await readReencryption(store);
    const state = pass?.finishedAt === undefined ? 'is not finished' : 'has left some';
    throw keyInUse(
      `${objects} objects are encrypted with it; re-encryption ${state}`,
      'Let the server run; "chandlery keys status" shows how far it is.',
    );
  }
  if (history > 0)
    throw keyInUse(
      `${history} superseded versions in the history are encrypted with it`,
      'Let the server run for --history-minutes after the re-encryption, then repeat this.',
    );
}

/** The replicas that have reported lately that they encrypt with a key. */
async function replicasWith(store: Store, keyId: string): Promise<readonly string[]> {
  const { group, plural } = landscapeReplicas.ref;
  const { items } = await store.list({ resource: `${group}/${plural}` });
  return items
    .map(({ key, value }) => ({ name: key.name, ...(JSON.parse(Buffer.from(value.bytes).toString()) as Reported) }))
    .filter(({ spec }) => spec.encryptionKey === keyId)
    .map(({ name }) => name);
}

interface Reported {
  readonly spec: { readonly encryptionKey?: string };
}

const keyInUse = (why: string, hint: string): ChandleryError =>
  new ChandleryError('KeyInUse', `the encryption key is still needed: ${why}`, { hint });

const noStore = (dataDir: string): ChandleryError =>
  new ChandleryError('NoSuchFile', `there is no store in ${dataDir} that could say what needs the key`, {
    hint: 'Name the database of the landscape with --database, or the folder "keys" in its data folder.',
  });
