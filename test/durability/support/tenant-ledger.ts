import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import { named } from './landscape-client.ts';
import { isOutage } from './writer.ts';

export interface TenantLedgerOptions {
  readonly client: Client;
  readonly collection: ResourceRef;
  readonly objectOf: (name: string) => KubeObject;
  /** Ends all waiting. */
  readonly stop: AbortSignal;
}

/** Orders and cancels objects of one kind, through outages, and records the desired state. */
export class TenantLedger {
  readonly #client: Client;
  readonly #collection: ResourceRef;
  readonly #objectOf: (name: string) => KubeObject;
  readonly #stop: AbortSignal;
  /** The uid of each object that was created and not deleted. */
  readonly wished = new Map<string, string>();
  creations = 0;
  deletions = 0;

  constructor({ client, collection, objectOf, stop }: TenantLedgerOptions) {
    this.#client = client;
    this.#collection = collection;
    this.#objectOf = objectOf;
    this.#stop = stop;
  }

  /** How much was done. */
  get text(): string {
    return `${this.creations} creations and ${this.deletions} deletions`;
  }

  /** Creates an object; one of the same name that is being deleted has to go first. */
  async create(name: string): Promise<void> {
    const { metadata } = await persist(() => this.#createOnce(name), this.#stop);
    this.wished.set(name, metadata.uid ?? '');
    this.creations++;
  }

  async #createOnce(name: string): Promise<KubeObject> {
    for (;;) {
      try {
        return await this.#client.create(this.#collection, this.#objectOf(name));
      } catch (error) {
        if (!isError(error, 'AlreadyExists')) throw error;
      }
      const live = await this.find(name);
      // The name is not used otherwise: an attempt whose response was lost has created it.
      if (live !== undefined && live.metadata.deletionTimestamp === undefined) return live;
      await sleep(50);
    }
  }

  /** Deletes an object; it may take its time to go. */
  async delete(name: string): Promise<void> {
    this.wished.delete(name);
    await persist(() => this.#client.delete(named(this.#collection, name)).catch(ignoreNotFound), this.#stop);
    this.deletions++;
  }

  async find(name: string): Promise<KubeObject | undefined> {
    return await persist(() => this.#client.get(named(this.#collection, name)).catch(ignoreNotFound), this.#stop);
  }

  /** Fails unless exactly the desired objects exist, the same ones that were created, and all are ready. */
  async check(): Promise<void> {
    // The kind goes with its provider.
    const items = (await this.#client.list<ServedObject>(this.#collection).catch(ignoreNotFound))?.items ?? [];
    const found = items.map(({ metadata: { name, uid, generation }, status }) => {
      const isServed = status?.phase === 'Ready' && status.observedGeneration === generation;
      return [name, uid, isServed ? 'Ready' : `${status?.phase}: ${JSON.stringify(status?.conditions)}`];
    });
    const wished = [...this.wished].map(([name, uid]) => [name, uid, 'Ready']);
    assert.deepEqual(found.sort(byName), wished.sort(byName));
  }
}

interface ServedObject extends KubeObject {
  readonly status?: { readonly phase?: string; readonly observedGeneration?: number; readonly conditions?: unknown };
}

const byName = ([left = '']: readonly (string | undefined)[], [right = '']: readonly (string | undefined)[]): number =>
  left < right ? -1 : 1;

/** Does it again until it is no outage that keeps it from being done. */
export async function persist<T>(act: () => Promise<T>, stop?: AbortSignal): Promise<T> {
  for (;;) {
    stop?.throwIfAborted();
    try {
      return await act();
    } catch (error) {
      if (!isOutage(error)) throw error;
      await sleep(50);
    }
  }
}

function ignoreNotFound(error: unknown): undefined {
  if (!isError(error, 'NotFound')) throw error;
}
