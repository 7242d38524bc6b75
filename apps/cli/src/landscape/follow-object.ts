import { setTimeout as sleep } from 'node:timers/promises';
import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';

/** The pause between watches, so that one that ends at once does not loop. */
const pauseMs = 200;

export interface FollowOptions<T extends KubeObject> {
  /** Called with every state of the object, undefined when it does not exist; true stops following. */
  readonly isDone: (object: T | undefined) => boolean;
  /** Stops with the signal's reason. */
  readonly signal: AbortSignal;
}

/** Follows one object until `isDone` returns true. */
export async function followObject<T extends KubeObject>(
  client: Client,
  { name, ...resource }: ObjectRef,
  { isDone, signal }: FollowOptions<T>,
): Promise<void> {
  const selection = { fieldSelector: `metadata.name=${name}`, signal };
  for (;;) {
    const { items, metadata } = await client.list<T>(resource, selection);
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
