import { notFound, smError } from '../../../../errors.ts';
import { recordRemoval } from '../../../../model/operations/removed-platform.ts';
import { type PlatformRow, type Registry, type RegistryWrite, removeRow, touchRow } from '../../../../model/rows.ts';
import type { SmRequest, SmResponse } from '../../resource-handler.ts';
import { operationRecord } from '../../shared/operation-record.ts';
import type { PlatformDeps } from './platform-handler.ts';

/** Deletes a platform with its visibilities and credentials. Refused while it has instances. */
export async function deletePlatform(
  { registry }: PlatformDeps,
  row: PlatformRow,
  request: SmRequest,
): Promise<SmResponse> {
  checkUnused(registry, row);
  // Concurrent commits that read the platform, to open a plan to it, fail from here on; earlier ones are visible below.
  await registry.commit([touchRow('platforms', row)]);
  const current = registry.platforms.get(row.id);
  if (current === undefined) throw notFound('platform');
  checkUnused(registry, current);
  const { write } = operationRecord(registry, request, {
    type: 'delete',
    resourceType: '/v1/platforms',
    resourceId: row.id,
  });
  const visibilities = [...registry.visibilities.by('platformId', row.id)];
  const credentials = [...registry.credentials.by('platformId', row.id)];
  const writes: RegistryWrite[] = [
    removeRow('platforms', current),
    ...visibilities.map(visibility => removeRow('visibilities', visibility)),
    ...credentials.map(credential => removeRow('credentials', credential)),
    ...passwordRemoval(row),
    ...recordRemoval(registry, current),
    write,
  ];
  await registry.commit(writes);
  return { type: 'document', body: {} };
}

function checkUnused({ instances }: Registry, { id }: PlatformRow): void {
  const count = instances.count('platformId', id);
  if (count > 0)
    throw smError(
      'ExistingReferenceEntity',
      `the platform has ${count} service instances; delete them first, or use cascade=true`,
    );
}

/** Platforms made by kubectl got their password in a Secret. */
function passwordRemoval({ tenant, status: { credentialsSecret: name } }: PlatformRow): RegistryWrite[] {
  return name === undefined ? [] : [{ type: 'remove-secret', tenant, name }];
}
