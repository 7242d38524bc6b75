import { setTimeout as sleep } from 'node:timers/promises';
import { isError } from '@chandlery/api';
import { decodeValue } from '../codec/stored-value.ts';
import { putOf } from '../resources/commit.ts';
import type { ResourceDeps } from '../resources/request.ts';
import type { ObjectKey, Store, StoredObject } from '../store/store.ts';
import { targetOfKey } from './task.ts';

/** How far the objects of secret kinds are encrypted with the key that encrypts now. Any replica can read it. */
export interface ReencryptionState {
  /** The key that encrypts. */
  readonly keyId: string;
  /** RFC 3339. */
  readonly startedAt: string;
  /** Undefined: it is under way, or waits for a process that leads. */
  readonly finishedAt?: string;
  readonly examined: number;
  readonly rewritten: number;
  /** Objects that no present key can decrypt. */
  readonly unreadable: number;
  /** The last object that was examined; the next process continues after it. */
  readonly after?: { readonly resource: string } & Pick<ObjectKey, 'cluster' | 'namespace' | 'name'>;
}

const stateKey: ObjectKey = { cluster: 'platform', resource: 'internal/encryption', namespace: '', name: 'pass' };

const pageSize = 100;
/** It takes at most one part in so many of the time. */
const restFactor = 4;
const minRestMs = 20;
/** Replicas that encrypted with an earlier key for a while longer are found by another pass. */
const repeatMs = 6 * 3600 * 1000;
const retryMs = 5000;

/** The state of the last pass; undefined when there never was one. */
export async function readReencryption(store: Pick<Store, 'get'>): Promise<ReencryptionState | undefined> {
  const stored = await store.get(stateKey);
  return stored && (JSON.parse(Buffer.from(stored.value.bytes).toString()) as ReencryptionState);
}

export interface ReencryptionOptions {
  readonly deps: ResourceDeps;
  readonly onFailure: (what: string, error: unknown) => void;
}

/**
 * Writes objects again whose ciphertext comes from an earlier key, in the process that leads maintenance, a page at a
 * time with rests between, as long as there are several keys. Such a write is one like any other: the object gets
 * another resourceVersion and nothing else changes. After each page its position is saved.
 */
export class Reencryption {
  readonly #options: ReencryptionOptions;
  readonly #stopped = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(options: ReencryptionOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#options.deps.codec.keyCount > 1) this.#running = this.#repeat();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  async #repeat(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      try {
        await this.#pass();
        await this.#rest(repeatMs);
      } catch (error) {
        if (this.#stopped.signal.aborted) return;
        this.#options.onFailure('re-encryption', error);
        await this.#rest(retryMs);
      }
    }
  }

  async #pass(): Promise<void> {
    const { store, codec, clock } = this.#options.deps;
    let state = await this.#begin();
    for (const resource of codec.secretResources) {
      if (state.after !== undefined && state.after.resource > resource) continue;
      for (;;) {
        this.#stopped.signal.throwIfAborted();
        const startedAt = performance.now();
        const after = state.after?.resource === resource ? { after: state.after } : {};
        const page = await store.list({ resource, limit: pageSize, isCounted: false, ...after });
        const last = page.items.at(-1);
        if (last === undefined) break;
        const { cluster, namespace, name } = last.key;
        state = { ...(await this.#rewriteAll(page.items, state)), after: { resource, cluster, namespace, name } };
        await this.#save(state);
        if (!page.more) break;
        await this.#rest(Math.max(minRestMs, (performance.now() - startedAt) * restFactor));
      }
    }
    const { after: _, ...rest } = state;
    await this.#save({ ...rest, finishedAt: clock.now().toISOString() });
  }

  /** Continues what another process has begun with the same key. */
  async #begin(): Promise<ReencryptionState> {
    const { store, codec, clock } = this.#options.deps;
    const known = await readReencryption(store);
    if (known?.keyId === codec.activeKeyId && known.finishedAt === undefined) return known;
    const state = {
      ...{ keyId: codec.activeKeyId, startedAt: clock.now().toISOString() },
      ...{ examined: 0, rewritten: 0, unreadable: 0 },
    };
    await this.#save(state);
    return state;
  }

  async #rewriteAll(items: readonly StoredObject[], state: ReencryptionState): Promise<ReencryptionState> {
    const { codec } = this.#options.deps;
    let { examined, rewritten, unreadable } = state;
    for (const stored of items) {
      examined++;
      if (!codec.needsRotation(stored)) continue;
      const outcome = await this.#rewrite(stored);
      if (outcome === 'rewritten') rewritten++;
      if (outcome === 'unreadable') unreadable++;
    }
    return { ...state, examined, rewritten, unreadable };
  }

  async #rewrite(stored: StoredObject): Promise<'rewritten' | 'unreadable' | 'left'> {
    const { deps, onFailure } = this.#options;
    const { key, value, revision } = stored;
    const target = await targetOfKey(deps, key);
    // What expires by itself is left: a write would extend its time to live.
    if (target === undefined || target.resource.kind.declaration.ttlSeconds !== undefined) return 'left';
    try {
      const object = decodeValue(deps.codec.open(key, value), revision);
      const put = putOf(deps, target.resource.kind, key, object, { type: 'revision', revision });
      await deps.store.commit({ writes: [put] });
      return 'rewritten';
    } catch (error) {
      // Another writer was faster, and used the present key.
      if (isError(error, 'PreconditionFailed')) return 'left';
      if (!isError(error, 'UnknownKey', 'DecryptionFailed')) throw error;
      onFailure(`re-encryption of ${key.resource} ${key.namespace}/${key.name} in ${key.cluster}`, error);
      return 'unreadable';
    }
  }

  async #save(state: ReencryptionState): Promise<void> {
    const value = { bytes: Buffer.from(JSON.stringify(state)), splice: 0 };
    await this.#options.deps.store.commit({
      writes: [{ type: 'put', key: stateKey, expect: { type: 'any' }, value, terms: [] }],
    });
  }

  async #rest(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopped.signal, ref: false }).catch(() => undefined);
  }
}
