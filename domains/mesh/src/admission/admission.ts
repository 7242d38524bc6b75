import type { KindDeclaration, KubeObject } from '@chandlery/api';

/** The decision about a create or update request. */
export type Admission<T extends KubeObject = KubeObject> =
  | { readonly type: 'allow' /** What is written instead. Default: what was sent. */; readonly object?: T }
  | { readonly type: 'reject'; readonly reason: 'Conflict' | 'Invalid'; readonly message: string };

export const allow: Admission<never> = { type: 'allow' };

export const reject = (message: string, reason: 'Conflict' | 'Invalid' = 'Invalid'): Admission<never> => ({
  type: 'reject',
  reason,
  message,
});

/** Converts an object to the storage version of its kind. */
export function inStorageVersion(kind: KindDeclaration, object: KubeObject): KubeObject {
  return conversionOf(kind, object)?.toStorage(object) ?? object;
}

/** Converts a stored object to the version of another object. */
export function inVersionOf(kind: KindDeclaration, object: KubeObject, stored: KubeObject): KubeObject {
  return conversionOf(kind, object)?.fromStorage(stored) ?? stored;
}

function conversionOf({ group, versions }: KindDeclaration, { apiVersion }: KubeObject) {
  return versions.find(({ name }) => `${group}/${name}` === apiVersion)?.conversion;
}
