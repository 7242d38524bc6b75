import type { KubeObject } from './object.ts';

/** Orders objects by their creation, the oldest first; those of the same second by namespace and name. */
export function byCreation(
  { metadata: a }: Pick<KubeObject, 'metadata'>,
  { metadata: b }: Pick<KubeObject, 'metadata'>,
): number {
  return (
    compareText(a.creationTimestamp, b.creationTimestamp) ||
    compareText(a.namespace, b.namespace) ||
    compareText(a.name, b.name)
  );
}

const compareText = (a = '', b = ''): number => (a < b ? -1 : Number(a > b));
