import type { KubeObject, UniqueKey } from '@chandlery/api';

/** The spec of an object whose schema has been checked. */
export const specOf = (object: KubeObject): Readonly<Record<string, unknown>> =>
  (object['spec'] ?? {}) as Readonly<Record<string, unknown>>;

/** Addresses name an id and no tenant, so ids are unique over all tenants. */
export const uniqueId: UniqueKey = {
  name: 'id',
  within: 'cluster',
  values: ({ metadata }) => [metadata.name ?? ''],
};

/** No two of a tenant have the same name. */
export const uniqueNameInTenant: UniqueKey = {
  name: 'name',
  within: 'cluster',
  values: object => [`${object.metadata.namespace}/${String(nameIn(object))}`],
};

const nameIn = (object: KubeObject): string | undefined =>
  (specOf(object)['name'] as string | undefined) ?? object.metadata.name;

/** No two have the same values in these fields of the spec. */
export const uniqueTogether = (name: string, ...fields: readonly string[]): UniqueKey => ({
  name,
  within: 'cluster',
  values: object => [JSON.stringify(fields.map(field => specOf(object)[field] ?? ''))],
});
