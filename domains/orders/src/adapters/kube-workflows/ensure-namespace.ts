import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';

const namespaces = { group: '', version: 'v1', plural: 'namespaces' } as const;

/** Makes a namespace, unless it is there. */
export async function ensureNamespace(client: Pick<Client, 'create'>, name: string): Promise<void> {
  try {
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  } catch (error) {
    if (!isError(error, 'AlreadyExists')) throw error;
  }
}
