import { commitAnew } from '@chandlery/registry';
import { succeedOperation } from '../../model/operations/operation-end.ts';
import { isEngineWork } from '../../model/operations/operation-state.ts';
import { recordRemoval } from '../../model/operations/removed-platform.ts';
import { type PlatformRow, type Registry, type RegistryWrite, removeRow } from '../../model/rows.ts';

/** As many as one commit should have. */
const batchSize = 500;

/** The rows that hang on a platform and go with it. */
function* platformBelongings(registry: Registry, platformId: string): Iterable<RegistryWrite> {
  for (const row of registry.visibilities.by('platformId', platformId)) yield removeRow('visibilities', row);
  for (const row of registry.credentials.by('platformId', platformId)) yield removeRow('credentials', row);
}

/**
 * Removes a platform with its visibilities and credentials, in one commit unless there are very many; `extra` is
 * committed with the platform itself. Its instances must be deleted before.
 */
export async function removePlatform(
  registry: Registry,
  id: string,
  extra: () => readonly RegistryWrite[],
): Promise<void> {
  const belongings = (): RegistryWrite[] => [...platformBelongings(registry, id)];
  while (belongings().length > batchSize) await commitAnew(registry, () => belongings().slice(0, batchSize));
  await commitAnew(registry, () => {
    const platform = registry.platforms.get(id);
    return [...belongings(), ...(platform === undefined ? [] : platformEnd(registry, platform)), ...extra()];
  });
}

function platformEnd(registry: Registry, platform: PlatformRow): RegistryWrite[] {
  const { credentialsSecret: name } = platform.status;
  const secret: RegistryWrite[] = name === undefined ? [] : [{ type: 'remove-secret', tenant: platform.tenant, name }];
  return [removeRow('platforms', platform), ...secret, ...recordRemoval(registry, platform)];
}

/** Ends a cascade whose root is a platform. */
export const endPlatformCascade = (registry: Registry, operationId: string, platformId: string): Promise<void> =>
  removePlatform(registry, platformId, () => {
    const operation = registry.operations.get(operationId);
    return operation !== undefined && isEngineWork(operation) ? succeedOperation(operation) : [];
  });
