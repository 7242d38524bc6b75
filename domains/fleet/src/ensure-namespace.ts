import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { fleetNamespace } from './kinds/index.ts';

/** Makes the namespace of instances that are ordered over REST, unless it is there. */
export async function ensureFleetNamespace(client: Pick<Client, 'create'>): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: fleetNamespace } };
  try {
    await client.create({ group: '', version: 'v1', plural: 'namespaces' }, namespace);
  } catch (error) {
    if (!isError(error, 'AlreadyExists')) throw error;
  }
}
