import type { Client } from '@chandlery/client';
import { systemTimers, type Timers } from '@chandlery/runtime';

/** A client whose connection can be replaced while it is used. */
export interface RotatingClient extends Client {
  /** Uses another connection from now on. Calls in progress on the old one have `lingerMs` to complete. */
  replace(next: Client): void;
}

export interface RotatingOptions {
  /** After which a replaced connection is closed; longer than any reconcile. Default 120,000. */
  readonly lingerMs?: number;
  readonly timers?: Timers;
}

/**
 * Creates a client that outlives its credentials: informers continue over the new connection when the old one closes.
 */
export function createRotatingClient(first: Client, options: RotatingOptions = {}): RotatingClient {
  const { lingerMs = 120_000, timers = systemTimers } = options;
  let current = first;
  const old = new Map<Client, () => void>();
  const close = async (client: Client): Promise<void> => {
    old.get(client)?.();
    old.delete(client);
    await client[Symbol.asyncDispose]();
  };
  return {
    get: (ref, request) => current.get(ref, request),
    list: (ref, list) => current.list(ref, list),
    listAll: (ref, list) => current.listAll(ref, list),
    create: (ref, object, write) => current.create(ref, object, write),
    update: (ref, object, write) => current.update(ref, object, write),
    patch: (ref, patch, write) => current.patch(ref, patch, write),
    delete: (ref, request) => current.delete(ref, request),
    watch: (ref, watch) => current.watch(ref, watch),
    replace: next => {
      const replaced = current;
      current = next;
      old.set(
        replaced,
        timers.after(lingerMs, () => void close(replaced).catch(() => undefined)),
      );
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...old.keys(), current].map(close));
    },
  };
}
