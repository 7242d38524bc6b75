import { setTimeout as sleep } from 'node:timers/promises';
import { apiError, isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';

/** The pause between watches, so that one that ends at once does not loop. */
const pauseMs = 200;

export interface FollowOptions<T extends KubeObject> {
  /** Called with every state of the object, undefined when it does not exist; true stops following. */
  readonly isDone: (object: T | undefined) => boolean;
  /** Stops with the signal's reason. */
  readonly signal: AbortSignal;
}

/**
 * Follows one object until `isDone` returns true. Rejects with `Forbidden` when the object exists and lists do not show it:
 * it would count as deleted.
 */
export async function followObject<T extends KubeObject>(
  client: Client,
  { name, ...resource }: ObjectRef,
  { isDone, signal }: FollowOptions<T>,
): Promise<void> {
  const selection = { fieldSelector: `metadata.name=${name}`, signal };
  let isFirst = true;
  for (;;) {
    const { items, metadata } = await client.list<T>(resource, selection);
    if (isFirst && items.length === 0) await assertHiddenNowhere(client, { ...resource, name }, signal);
    isFirst = false;
    if (isDone(items[0])) return;
    const { resourceVersion } = metadata;
    const from = resourceVersion === undefined ? {} : { resourceVersion };
    try {
      for await (const { type, object } of client.watch<T>(resource, { ...selection, ...from })) {
        if (type !== 'BOOKMARK' && isDone(type === 'DELETED' ? undefined : object)) return;
      }
    } catch (thrown) {
      // The history was compacted meanwhile: list again.
      if (!isError(thrown, 'Expired', 'Gone')) throw thrown;
    }
    // An aborted watch ends without an error.
    signal.throwIfAborted();
    await sleep(pauseMs, undefined, { signal });
  }
}

/** A list has only those objects on which the caller has rights. */
async function assertHiddenNowhere(client: Client, ref: ObjectRef, signal: AbortSignal): Promise<void> {
  const { group, plural, namespace, name } = ref;
  const found = await client.get(ref, { signal }).catch((error: unknown) => {
    if (!isError(error, 'NotFound', 'Forbidden')) throw error;
  });
  if (found === undefined) return;
  const scope = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const message = `you cannot list resource "${plural}" in API group "${group}" ${scope}`;
  throw apiError('Forbidden', `${plural}.${group} "${name}" is forbidden: ${message}`, { name, group, kind: plural });
}
