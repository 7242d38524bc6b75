import type { KubeObject } from '@chandlery/api';
import { sealedClientSecretOf } from '@chandlery/fleet';
import { fleetCluster, fleetNamespace } from '@chandlery/fleet/kinds';
import { decodeValue, formatKey, type Store, type StoredObject } from '@chandlery/kernel';
import { isEncrypted, type Keyring, keyIdOfCiphertext } from '@chandlery/platform';

/** What is encrypted with a key. */
export interface CiphertextCount {
  readonly objects: number;
  /** Superseded versions that watches may still read; they go with `--history-minutes`. */
  readonly history: number;
}

const pageSize = 500;

/**
 * Counts ciphertexts by the id of their key: those of objects, those within objects, and those of history. Reads all
 * encrypted objects. Versions that are kept longer (`--revision-days`) are never of encrypted kinds.
 */
export async function countCiphertexts(store: Store, keyring: Keyring): Promise<ReadonlyMap<string, CiphertextCount>> {
  const counts = new Map<string, CiphertextCount>();
  const add = (bytes: Uint8Array, where: keyof CiphertextCount): void => {
    const id = keyIdOfCiphertext(bytes);
    if (id === undefined) return;
    const { objects = 0, history = 0 } = counts.get(id) ?? {};
    counts.set(id, { objects, history, [where]: (counts.get(id)?.[where] ?? 0) + 1 });
  };
  for await (const stored of encryptedObjects(store)) {
    add(stored.value.bytes, 'objects');
    const inner = innerCiphertext(stored, keyring);
    if (inner !== undefined) add(inner, 'objects');
  }
  for (let after = await store.compactedRevision(); ; ) {
    const page = await store.changes({ after, limit: pageSize });
    for (const change of page.changes) {
      add(change.value.bytes, 'history');
      const before = isEncrypted(change.value.bytes) ? await store.before(change) : undefined;
      if (before !== undefined) add(before.value.bytes, 'history');
    }
    if (!page.more) return counts;
    after = page.upTo;
  }
}

/** A collection is of one kind, so its first object shows whether all are encrypted. */
async function* encryptedObjects(store: Store): AsyncGenerator<StoredObject> {
  const resources = new Set((await store.collections()).map(({ resource }) => resource));
  for (const resource of resources) {
    const [first] = (await store.list({ resource, limit: 1, isCounted: false })).items;
    if (first === undefined || !isEncrypted(first.value.bytes)) continue;
    for (let after: StoredObject['key'] | undefined; ; ) {
      const page = await store.list({ resource, limit: pageSize, isCounted: false, ...(after && { after }) });
      yield* page.items;
      after = page.items.at(-1)?.key;
      if (!page.more || after === undefined) break;
    }
  }
}

/** The fleet encrypts secrets of its SSO clients by itself, within Secrets of its own namespace. */
function innerCiphertext({ key, value, revision }: StoredObject, keyring: Keyring): Uint8Array | undefined {
  const isOfFleet = key.cluster === fleetCluster && key.namespace === fleetNamespace;
  if (!isOfFleet || key.resource !== '/secrets') return undefined;
  const bytes = keyring.decrypt(value.bytes, formatKey(key));
  const secret: KubeObject = decodeValue({ ...value, bytes }, revision);
  return sealedClientSecretOf(secret);
}
