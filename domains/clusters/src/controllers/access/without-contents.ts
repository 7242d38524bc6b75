import type { KubeObject } from '@chandlery/api';

/** What tells objects apart, and nothing of what is in them: no credentials in memory, and little of anything. */
export function withoutContents({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, labels, ownerReferences } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion, labels, ownerReferences } };
}
