import type { KubeObject } from '@chandlery/api';

/** `namespace/name`, or the name alone for cluster-scoped objects. */
export const keyOf = ({ metadata: { namespace, name = '' } }: KubeObject): string =>
  namespace ? `${namespace}/${name}` : name;

/** The parts of a key. */
export function parseKey(key: string): { readonly namespace?: string; readonly name: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
