import { setTimeout as sleep } from 'node:timers/promises';
import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';

/** A watch that ends at once, again and again, must not keep a processor busy. */
const pauseMs = 200;

export interface FollowOptions<T extends KubeObject> {
  /** Gets every state of the object, undefined when it is not there; true ends the following. */
  readonly isDone: (object: T | undefined) => boolean;
  /** Gives up with the signal's reason. */
  readonly signal: AbortSignal;
}

/** Follows one object until a state of it is the wanted one. */
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
      // History was forgotten while we watched: look again.
      if (!isError(thrown, 'Expired', 'Gone')) throw thrown;
    }
    // A watch that is told to stop ends without an error.
    signal.throwIfAborted();
    await sleep(pauseMs, undefined, { signal });
  }
}
