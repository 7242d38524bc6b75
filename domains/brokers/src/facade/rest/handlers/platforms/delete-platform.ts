import { smError } from '../../../../model/sm-error.ts';
import { type PlatformRow, type RegistryWrite, removeRow } from '../../../../registry/registry.ts';
import type { SmAnswer, SmRequest } from '../../resource-handler.ts';
import { recordOf } from '../record.ts';
import type { PlatformNeeds } from './platform-handler.ts';

/** Deletes a platform with its visibilities and credentials. Refused while it has instances. */
export async function deletePlatform(
  { registry }: PlatformNeeds,
  row: PlatformRow,
  request: SmRequest,
): Promise<SmAnswer> {
  const instances = registry.instances.count('platformId', row.id);
  if (instances > 0)
    throw smError(
      'ExistingReferenceEntity',
      `the platform has ${instances} service instances; delete them first, or use cascade=true`,
    );
  const { write } = recordOf(registry, request, { type: 'delete', resourceType: '/v1/platforms', resourceId: row.id });
  const visibilities = [...registry.visibilities.by('platformId', row.id)];
  const credentials = [...registry.credentials.by('platformId', row.id)];
  const writes: RegistryWrite[] = [
    removeRow('platforms', row),
    ...visibilities.map(visibility => removeRow('visibilities', visibility)),
    ...credentials.map(credential => removeRow('credentials', credential)),
    ...passwordRemoval(row),
    write,
  ];
  await registry.commit(writes);
  return { type: 'document', body: {} };
}

/** Platforms made by kubectl got their password in a Secret. */
function passwordRemoval({ tenant, status: { credentialsSecret: name } }: PlatformRow): RegistryWrite[] {
  return name === undefined ? [] : [{ type: 'remove-secret', tenant, name }];
}
