import type { InstanceSize, InstanceType } from './configuration.ts';
import { type DocumentValue, mapUnique } from './document-value.ts';

/** Ids of types and sizes are parts of plans, which a dot joins. */
const idPattern = /^[A-Za-z0-9]([-_A-Za-z0-9]*[A-Za-z0-9])?$/;

/** An instance occupies numbered units, each of which is an index entry. */
const maxUnits = 1000;

/** Ten years. */
const maxLifespanSeconds = 3650 * 24 * 3600;

/** Reads `instance_types`. */
export const readInstanceTypes = (value: DocumentValue): ReadonlyMap<string, InstanceType> =>
  mapUnique(value.items(), item => {
    const type = readInstanceType(item);
    return [type.id, type];
  });

function readInstanceType(value: DocumentValue): InstanceType {
  const field = value.fields(['id', 'display_name', 'sizes']);
  const id = readId(field('id'));
  const sizes = mapUnique(field('sizes').items(), item => {
    const size = readSize(item);
    return [size.id, size];
  });
  if (sizes.size === 0) field('sizes').reject('must have at least one size');
  return { id, displayName: field('display_name').text(id), sizes };
}

function readSize(value: DocumentValue): InstanceSize {
  const field = value.fields(['id', 'display_name', 'quota_consumed', 'capacity_consumed', 'lifespan_seconds']);
  const id = readId(field('id'));
  return {
    id,
    displayName: field('display_name').text(id),
    quotaConsumed: field('quota_consumed').integer({ max: maxUnits }, 1),
    capacityConsumed: field('capacity_consumed').integer({ max: maxUnits }, 1),
    lifespanSeconds: field('lifespan_seconds').optionalInteger({ min: 1, max: maxLifespanSeconds }),
  };
}

function readId(value: DocumentValue): string {
  const id = value.identifier();
  if (id !== '' && !idPattern.test(id)) value.reject('must consist of letters, digits, "-" and "_"');
  return id;
}
