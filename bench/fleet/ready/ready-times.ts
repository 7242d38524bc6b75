import { setMaxListeners } from 'node:events';
import type { KubeObject } from '@chandlery/api';
import { type Client, createClient, type ResourceRef } from '@chandlery/client';
import type { FleetWorld } from '../fleet-world.ts';

/** A client of a logical cluster of the world, with all rights. */
export function clientOf({ landscape }: FleetWorld, cluster: string): Client {
  const { url, ca: caPem, token } = landscape;
  return createClient({ server: `${url}/clusters/${cluster}`, caPem, token, timeoutMs: 120_000 });
}

/** Remembers when each object of a collection was first seen in a state, by watching it. */
export class ReadyTimes implements AsyncDisposable {
  readonly #seen = new Map<string, number>();
  readonly #waiting = new Map<string, () => void>();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  private constructor(
    events: (signal: AbortSignal) => AsyncIterable<{ readonly object: KubeObject }>,
    isReady: IsReady,
  ) {
    setMaxListeners(0, this.#stop.signal);
    this.#running = this.#read(events(this.#stop.signal), isReady).catch((error: unknown) => {
      if (!this.#stop.signal.aborted) throw error;
    });
  }

  static async watch(client: Client, ref: ResourceRef, isReady: IsReady): Promise<ReadyTimes> {
    const { metadata } = await client.list(ref, { limit: 1 });
    const { resourceVersion } = metadata;
    const options = resourceVersion === undefined ? {} : { resourceVersion };
    return new ReadyTimes(signal => client.watch(ref, { ...options, signal }), isReady);
  }

  /** Resolves with the time when the object of this name was seen. */
  async of(name: string): Promise<number> {
    const known = this.#seen.get(name);
    if (known !== undefined) return known;
    await new Promise<void>(resolve => this.#waiting.set(name, resolve));
    return this.#seen.get(name) ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #read(events: AsyncIterable<{ readonly object: KubeObject }>, isReady: IsReady): Promise<void> {
    for await (const { object } of events) {
      const { name } = object.metadata;
      if (name === undefined || this.#seen.has(name) || !isReady(object)) continue;
      this.#seen.set(name, performance.now());
      this.#waiting.get(name)?.();
    }
  }
}

type IsReady = (object: KubeObject) => boolean;
