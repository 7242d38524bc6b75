import type { KubeObject } from '@chandlery/api';

/** What a namespace is to somebody who wants it with certain labels. */
export type NamespaceState = 'absent' | 'foreign' | 'terminating' | 'ours';

/**
 * Compares a namespace with the labels that its owner gives it. One that lacks any of them is somebody else's, even
 * if the name fits: `project-a--ws-b` may be that of a workspace or of a project with an odd name.
 */
export function namespaceState(
  namespace: KubeObject | undefined,
  labels: Readonly<Record<string, string>>,
): NamespaceState {
  if (namespace === undefined) return 'absent';
  const { labels: actual = {}, deletionTimestamp } = namespace.metadata;
  if (!Object.entries(labels).every(([label, value]) => actual[label] === value)) return 'foreign';
  return deletionTimestamp === undefined ? 'ours' : 'terminating';
}
