import { createHash } from 'node:crypto';
import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import type { Keyring } from '@chandlery/platform';
import { fleetManagedLabel, fleetNamespace } from '../../kinds/index.ts';
import type { ClientRecord, ClientStore } from './client-store.ts';
import { resealClientSecret } from './embedded-identity-provider.ts';

const secrets = { group: '', version: 'v1', plural: 'secrets' };

/** Keeps clients as Secrets of the fleet's namespace, so that all replicas see the same. */
export function createResourceClientStore(client: Client): ClientStore {
  const get = async (clientId: string): Promise<ClientRecord | undefined> => {
    try {
      return recordOf(await client.get(placeOf(clientId)));
    } catch (error) {
      if (isError(error, 'NotFound')) return undefined;
      throw error;
    }
  };
  return {
    get,
    create: async record => {
      try {
        await client.create({ ...secrets, namespace: fleetNamespace }, secretOf(record));
        return record;
      } catch (error) {
        const stored = isError(error, 'AlreadyExists') ? await get(record.clientId) : undefined;
        if (stored === undefined) throw error;
        return stored;
      }
    },
    delete: async clientId => {
      await client.delete(placeOf(clientId)).catch((error: unknown) => {
        if (!isError(error, 'NotFound')) throw error;
      });
    },
  };
}

/**
 * Encrypts secrets of clients again that an earlier key has encrypted. They are ciphertexts within encrypted Secrets, which
 * the kernel alone would not find.
 */
export async function resealClients(client: Client, keyring: Keyring): Promise<void> {
  if (keyring.keyCount < 2) return;
  const place = { ...secrets, namespace: fleetNamespace };
  const found = client.listAll(place, { labelSelector: `${fleetManagedLabel}=true`, limit: pageSize });
  for await (const secret of found) {
    if (!isOfClient(secret)) continue;
    const record = recordOf(secret);
    if (!keyring.needsRotation(Buffer.from(record.sealedSecret, 'base64'))) continue;
    const resealed = { ...record, sealedSecret: resealClientSecret(keyring, record) };
    const { resourceVersion = '' } = secret.metadata;
    const body = { ...secretOf(resealed), metadata: { resourceVersion } };
    await client.patch(placeOf(record.clientId), { type: 'merge', body }).catch((error: unknown) => {
      // The client was removed, or another replica was faster.
      if (!isError(error, 'NotFound', 'Conflict')) throw error;
    });
  }
}

/** The ciphertext within a Secret of the fleet's namespace; undefined when it is not that of a client. */
export const sealedClientSecretOf = (secret: KubeObject): Uint8Array | undefined =>
  isOfClient(secret) ? Buffer.from(recordOf(secret).sealedSecret, 'base64') : undefined;

const isOfClient = ({ metadata: { name = '', labels } }: KubeObject): boolean =>
  name.startsWith(namePrefix) && labels?.[fleetManagedLabel] === 'true';

const pageSize = 100;
const namePrefix = 'sso-client-';

/** Client ids may have any characters. */
const nameOf = (clientId: string): string =>
  `${namePrefix}${createHash('sha256').update(clientId).digest('hex').slice(0, 40)}`;

const placeOf = (clientId: string): ObjectRef => ({ ...secrets, namespace: fleetNamespace, name: nameOf(clientId) });

const secretOf = (record: ClientRecord): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: nameOf(record.clientId), namespace: fleetNamespace, labels: { [fleetManagedLabel]: 'true' } },
  type: 'Opaque',
  data: { record: Buffer.from(JSON.stringify(record)).toString('base64') },
});

function recordOf(secret: KubeObject): ClientRecord {
  const { record = '' } = (secret['data'] ?? {}) as Readonly<Record<string, string>>;
  return JSON.parse(Buffer.from(record, 'base64').toString()) as ClientRecord;
}
