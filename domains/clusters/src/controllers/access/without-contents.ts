import type { KubeObject } from '@chandlery/api';

/** Keeps identity and metadata only, so that no credentials are cached. */
export function withoutContents({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, labels, ownerReferences } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion, labels, ownerReferences } };
}
