import type { KubeObject } from '@chandlery/api';

export const hasFinalizer = ({ metadata }: KubeObject, finalizer: string): boolean =>
  metadata.finalizers?.includes(finalizer) ?? false;

/** Adds a finalizer to the object in hand; returns whether that changed it. */
export function addFinalizer(object: KubeObject, finalizer: string): boolean {
  if (hasFinalizer(object, finalizer)) return false;
  object.metadata.finalizers = [...(object.metadata.finalizers ?? []), finalizer];
  return true;
}

/** Takes a finalizer from the object in hand; returns whether that changed it. */
export function removeFinalizer(object: KubeObject, finalizer: string): boolean {
  if (!hasFinalizer(object, finalizer)) return false;
  object.metadata.finalizers = object.metadata.finalizers?.filter(other => other !== finalizer) ?? [];
  return true;
}

export const isDeleting = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;
