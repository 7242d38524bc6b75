import { isError, type KubeObject } from '@chandlery/api';
import type { Client, DeleteOptions, ResourceRef } from '@chandlery/client';
import { isDeleting } from '@chandlery/runtime';

/** Objects to delete: a collection, and which objects of it. */
export interface Selection<T extends KubeObject = KubeObject> {
  readonly ref: ResourceRef;
  /** Default: any. */
  readonly labelSelector?: string;
  /** Default: all that the selector finds. */
  readonly isMeant?: (object: T) => boolean;
}

/** Deletes the selected objects and returns those that still exist, as `plural/name`. */
export async function clearObjects<T extends KubeObject>(client: Client, selection: Selection<T>): Promise<string[]> {
  const found = await listSelected(client, selection);
  for (const object of found) if (!isDeleting(object)) await deleteObject(client, selection.ref, object);
  return found.length === 0 ? [] : namesOfSelected(client, selection);
}

/** The selected objects, as `plural/name`. */
export async function namesOfSelected<T extends KubeObject>(
  client: Client,
  selection: Selection<T>,
): Promise<string[]> {
  const { plural } = selection.ref;
  return (await listSelected(client, selection)).map(({ metadata }) => `${plural}/${metadata.name}`);
}

/** Deletes the object by uid, not one of the same name created later; a missing one is no error. */
export async function deleteObject(
  client: Client,
  ref: ResourceRef,
  { metadata: { name = '', namespace, uid } }: KubeObject,
  options: DeleteOptions = { propagationPolicy: 'Background' },
): Promise<void> {
  const at = { ...ref, name, ...(namespace && { namespace }) };
  try {
    await client.delete(at, { ...options, ...(uid === undefined ? {} : { preconditions: { uid } }) });
  } catch (thrown) {
    if (!isError(thrown, 'NotFound')) throw thrown;
  }
}

async function listSelected<T extends KubeObject>(
  client: Client,
  { ref, labelSelector, isMeant = () => true }: Selection<T>,
): Promise<T[]> {
  const found: T[] = [];
  for await (const object of client.listAll<T>(ref, labelSelector === undefined ? {} : { labelSelector }))
    if (isMeant(object)) found.push(object);
  return found;
}
