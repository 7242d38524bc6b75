import type { KubeObject } from './object.ts';

/** Compares objects by creation time, the oldest first; the name decides between objects of the same second. */
export function compareByCreation(a: KubeObject, b: KubeObject): number {
  const [left, right] = [creationKey(a), creationKey(b)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

const creationKey = ({ metadata }: KubeObject): string => `${metadata.creationTimestamp ?? ''} ${metadata.name ?? ''}`;
