import { type ChandleryError, isError, type KubeObject } from '@chandlery/api';
import type { ResourceRef } from '@chandlery/client';
import { createInformer, type Informer, type InformerOptions } from '@chandlery/runtime';

export interface PolicyInformerOptions<T extends KubeObject> extends Omit<InformerOptions<T>, 'backOff'> {
  /** Called when it turns out that the cluster does not serve the kind. */
  readonly onMissing: () => void;
}

/** So often the cluster must say that it does not serve a kind: one that has just started may not know all of its own yet. */
const refusalsBeforeMissing = 3;

/** What is missing is looked for as often as that. */
const maxPauseMs = 10_000;

/**
 * The objects of a kind that a cluster may or may not serve. Without the kind there are none of them; it is looked for on
 * and on, and its objects are told as additions once it is there.
 */
export class PolicyInformer<T extends KubeObject> {
  readonly informer: Informer<T>;
  readonly #options: PolicyInformerOptions<T>;
  readonly #settled = Promise.withResolvers<void>();
  #isSettled = false;
  #refusals = 0;
  /** How far the informer had come when it was last told that there is no such kind. */
  #missingSince: string | undefined;

  constructor(options: PolicyInformerOptions<T>) {
    this.#options = options;
    const onError = (error: ChandleryError): void => this.#noteError(error);
    this.informer = createInformer<T>({ ...options, onError, backOff: { maxMs: maxPauseMs } });
    // Nobody needs to wait for it, and then nobody handles its rejection.
    this.#settled.promise.catch(() => undefined);
    this.informer.synced.then(() => this.#settle(), this.#settled.reject);
  }

  /** Resolves when all objects are known, or there is no such kind; rejects with `Stopped`. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Whether the cluster does not serve the kind. */
  get isMissing(): boolean {
    return this.#missingSince !== undefined && this.#missingSince === this.informer.lastSyncResourceVersion;
  }

  /** For people: `plural.group/version`. */
  get name(): string {
    return kindName(this.#options.ref);
  }

  #noteError(error: ChandleryError): void {
    if (!isError(error, 'NotFound')) {
      this.#refusals = 0;
      return void this.#options.onError?.(error);
    }
    this.#refusals++;
    if (this.#refusals < refusalsBeforeMissing) return;
    if (!this.isMissing) this.#options.onMissing();
    this.#missingSince = this.informer.lastSyncResourceVersion;
    this.#settle();
  }

  #settle(): void {
    this.#isSettled = true;
    this.#settled.resolve();
  }
}

const kindName = ({ plural, group, version }: ResourceRef): string => `${plural}.${group}/${version}`;
