import type { KubeObject } from '@chandlery/api';

/** An object without the bookkeeping of field owners, which is often its largest part. For `transform` of informers. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
