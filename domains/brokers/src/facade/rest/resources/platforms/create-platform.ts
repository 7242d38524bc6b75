import { newPlatformCredentials } from '../../../../actions/platform-credentials.ts';
import { parseLabels } from '../../../../model/query/labels.ts';
import { optionalText } from '../../../../model/resources/body-fields.ts';
import { platformResource } from '../../../../model/resources/platforms.ts';
import { readCreate } from '../../../../model/resources/resource.ts';
import { createRow, type PlatformRow } from '../../../../model/rows.ts';
import type { SmRequest, SmResponse } from '../../resource-handler.ts';
import { operationRecord } from '../../shared/operation-record.ts';
import type { PlatformDeps } from './platform-handler.ts';

/** Registers a platform. Its credentials are made here and shown in this answer only; a technical one has none. */
export async function createPlatform({ registry, settings }: PlatformDeps, request: SmRequest): Promise<SmResponse> {
  const { body, tenant } = request;
  const spec = {
    ...(readCreate(platformResource, body) as PlatformRow['spec']),
    labels: parseLabels(body['labels'], settings.protectedLabels) as Record<string, string[]>,
  };
  const id = optionalText(body, 'id') ?? registry.newId();
  const credentials = spec.technical === true ? undefined : newPlatformCredentials();
  const status = { ready: true, ...(credentials === undefined ? {} : { credentials: credentials.stored }) };
  const operation = operationRecord(registry, request, {
    type: 'create',
    resourceType: '/v1/platforms',
    resourceId: id,
  });
  await registry.commit([createRow({ table: 'platforms', id, tenant, spec, status }), operation.write]);
  if (credentials === undefined) return { type: 'row', id };
  const { username, password } = credentials;
  return { type: 'row', id, extra: { credentials: { basic: { username, password } } } };
}
