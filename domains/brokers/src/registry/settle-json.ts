import type { StringPool } from './string-pool.ts';

/** Fields whose values many rows have in common, wherever they are. */
const sharedFields: ReadonlySet<string> = new Set([
  'brokerId',
  'offeringId',
  'planId',
  'platformId',
  'resourceType',
  'state',
  'type',
  'platform',
  'organizationGuid',
  'spaceGuid',
  // As platforms write them in contexts.
  'clusterid',
  'namespace',
  'organization_guid',
  'organization_name',
  'space_guid',
  'space_name',
]);

/** Freezes a JSON value all the way down, and lets the values of common fields be one text each. Changes the value. */
export function settleJson(value: unknown, pool: StringPool): unknown {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) {
    for (const item of value) settleJson(item, pool);
    return Object.freeze(value);
  }
  const object = value as Record<string, unknown>;
  for (const field of Object.keys(object)) {
    const part = object[field];
    if (typeof part === 'string') {
      if (sharedFields.has(field)) object[field] = pool.share(part);
    } else settleJson(part, pool);
  }
  return Object.freeze(object);
}
