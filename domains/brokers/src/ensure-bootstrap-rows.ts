import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { globalTenant, ownPlatformId } from './kinds/index.ts';
import { createRow, type Registry } from './model/rows.ts';

/** Makes the namespace of what belongs to no tenant, unless it is there. */
export async function ensureGlobalTenant(client: Pick<Client, 'create'>): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: globalTenant } };
  await ignoring('AlreadyExists', client.create({ group: '', version: 'v1', plural: 'namespaces' }, namespace));
}

/** Makes the platform that owns what is made through the service manager itself, unless it is there. */
export async function ensureOwnPlatform(registry: Registry): Promise<void> {
  if (registry.platforms.get(ownPlatformId) !== undefined) return;
  const own = createRow<'platforms'>({
    table: 'platforms',
    id: ownPlatformId,
    tenant: globalTenant,
    spec: { name: ownPlatformId, type: ownPlatformId, description: 'The service manager itself.' },
    status: { ready: true, observedGeneration: 1 },
  });
  // Another replica may be as fast.
  await ignoring('AlreadyExists', registry.commit([own]));
}

async function ignoring(code: string, work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isError(error, code)) throw error;
  }
}
