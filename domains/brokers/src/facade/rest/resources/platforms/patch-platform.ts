import { type NewPlatformCredentials, newPlatformCredentials } from '../../../../actions/platform-credentials.ts';
import { smError } from '../../../../errors.ts';
import { applyLabelChanges } from '../../../../model/query/labels.ts';
import { platformResource } from '../../../../model/resources/platforms.ts';
import { readPatch } from '../../../../model/resources/resource.ts';
import { type PlatformRow, updateRow } from '../../../../model/rows.ts';
import type { SmRequest, SmResponse } from '../../resource-handler.ts';
import { operationRecord } from '../../shared/operation-record.ts';
import type { PlatformDeps } from './platform-handler.ts';

/** Changes a platform, and gives it new credentials when `regenerateCredentials=true`. */
export async function patchPlatform(
  { registry, settings }: PlatformDeps,
  row: PlatformRow,
  request: SmRequest,
): Promise<SmResponse> {
  const credentials = request.query.get('regenerateCredentials') === 'true' ? regenerate(row) : undefined;
  const spec = patchedSpec(row, request, settings.protectedLabels);
  const status = { ...row.status, ready: true, ...(credentials === undefined ? {} : rotated(row, credentials)) };
  const { write } = operationRecord(registry, request, {
    type: 'update',
    resourceType: '/v1/platforms',
    resourceId: row.id,
  });
  await registry.commit([updateRow({ table: 'platforms', row, spec, status }), write]);
  if (credentials === undefined) return { type: 'row', id: row.id };
  const { username, password } = credentials;
  return { type: 'row', id: row.id, extra: { credentials: { basic: { username, password } } } };
}

function patchedSpec(
  { id, spec }: PlatformRow,
  { body }: SmRequest,
  protectedLabels: readonly string[],
): PlatformRow['spec'] {
  const changed = {
    ...spec,
    name: spec.name ?? id,
    ...readPatch(platformResource, body),
    labels: applyLabelChanges(spec.labels, body['labels'], protectedLabels),
  };
  return Object.fromEntries(
    Object.entries(changed).filter(([, value]) => value !== null),
  ) as unknown as PlatformRow['spec'];
}

function regenerate({ spec }: PlatformRow): NewPlatformCredentials {
  if (spec.technical === true) throw smError('BadRequest', 'a technical platform has no credentials');
  return newPlatformCredentials();
}

/** Credentials in use hold until the new ones are used; those that never were are simply replaced. */
function rotated({ status }: PlatformRow, { stored }: NewPlatformCredentials): Partial<PlatformRow['status']> {
  const { credentials: current } = status;
  return { credentials: stored, ...(current?.isActive === true ? { oldCredentials: current } : {}) };
}
