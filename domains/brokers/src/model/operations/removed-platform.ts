import { createRow, type PlatformRow, type Registry, type RegistryWrite } from '../rows.ts';

/** Records that a platform was deleted. Nothing for one without credentials, which no proxy speaks for. */
export function recordRemoval(
  { newId }: Pick<Registry, 'newId'>,
  { id: platformId, tenant, spec, status }: PlatformRow,
): RegistryWrite[] {
  const pairs = [status.credentials, status.oldCredentials].filter(pair => pair !== undefined);
  if (pairs.length === 0) return [];
  const credentials = pairs.map(({ username, passwordHash }) => ({ username, passwordHash }));
  const removed = { platformId, ...(spec.name === undefined ? {} : { name: spec.name }), credentials };
  return [createRow({ table: 'removedPlatforms', id: newId(), tenant, spec: removed, status: { ready: true } })];
}
