import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { type MeshRootCertificate, meshRootCertificates } from '../../kinds/mesh-root-certificate.ts';
import { ensureRootKey } from './ensure-root-key.ts';
import { meshNamespace } from './root-secret.ts';

/** Name of the first root; fixed, so that replicas that start together create only one. */
const firstRootName = 'root-1';

export interface FirstRootOptions {
  /** Client of the platform cluster. */
  readonly client: Pick<Client, 'get' | 'list' | 'create'>;
  readonly trustDomain: string;
  readonly now: Date;
}

/** Ensures that there is an active root with a key. All replicas may call it concurrently, and again after a crash. */
export async function ensureFirstRoot({ client, trustDomain, now }: FirstRootOptions): Promise<void> {
  await createUnlessThere(
    client,
    { group: '', version: 'v1', plural: 'namespaces' },
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: meshNamespace },
    },
  );
  const list = async () => (await client.list<MeshRootCertificate>(meshRootCertificates.ref)).items;
  if ((await list()).length === 0) {
    const spec = { role: 'active', trustDomain, validityDays: 3650 } as const;
    await createUnlessThere(
      client,
      meshRootCertificates.ref,
      meshRootCertificates.object({ name: firstRootName }, spec),
    );
  }
  // A root whose creation was interrupted before it had a key gets one; a lost key is not replaced.
  for (const root of await list()) {
    if (root.status?.fingerprint === undefined) await ensureRootKey(client, root, now);
  }
}

async function createUnlessThere(client: Pick<Client, 'create'>, ...args: Parameters<Client['create']>): Promise<void> {
  try {
    await client.create(...args);
  } catch (error) {
    if (!isError(error, 'AlreadyExists')) throw error;
  }
}
