import type { ObjectRef, ResourceRef } from './client.ts';

/** Values of a query; undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** The path of a collection or of one object, below the prefix of the server. */
export function resourcePath({ group, version, plural, namespace, ...rest }: ResourceRef | ObjectRef): string {
  const { name, subresource } = rest as Partial<ObjectRef>;
  const root = group === '' ? ['api', version] : ['apis', group, version];
  const scope = namespace === undefined ? [] : ['namespaces', namespace];
  const object = name === undefined ? [] : [name, ...(subresource?.split('/') ?? [])];
  return `/${[...root, ...scope, plural, ...object].map(encodeURIComponent).join('/')}`;
}

/** `?a=b&c=d`, or nothing. */
export function formatQuery(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`;
}
