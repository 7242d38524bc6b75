import type { StructuralSchema } from '@chandlery/api';

export type JsonRecord = Record<string, unknown>;

/** True for a field of its own; undefined counts as absent, as it does in JSON. */
export const hasField = (object: JsonRecord, name: string): boolean =>
  Object.hasOwn(object, name) && object[name] !== undefined;

/** A schema's named fields, for look-up by names from outside: `constructor` finds nothing that was not declared. */
export function mapProperties<T>(
  schema: StructuralSchema,
  make: (property: StructuralSchema, name: string) => T,
): ReadonlyMap<string, T> {
  return new Map(Object.entries(schema.properties ?? {}).map(([name, property]) => [name, make(property, name)]));
}
