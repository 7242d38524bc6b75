import type { KubeObject } from '@chandlery/api';

/** The state of a namespace for an owner with certain labels. */
export type NamespaceState = 'absent' | 'foreign' | 'terminating' | 'ours';

/**
 * Compares a namespace with the labels that its owner sets. A namespace without any of them belongs to another owner,
 * even if the name matches: `project-a--ws-b` may belong to a workspace, or to a project with such a name.
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
