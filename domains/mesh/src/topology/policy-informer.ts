import { type ChandleryError, isError, type KubeObject } from '@chandlery/api';
import type { ResourceRef } from '@chandlery/client';
import { createInformer, type Informer, type InformerOptions } from '@chandlery/runtime';

export interface PolicyInformerOptions<T extends KubeObject> extends Omit<InformerOptions<T>, 'backOff'> {
  /** Called when the cluster turns out not to serve the kind. */
  readonly onMissing: () => void;
}

/**
 * Number of NotFound responses before a kind counts as missing: an API server that has just started may not serve all
 * its kinds yet.
 */
const notFoundBeforeMissing = 3;

/** Maximum retry interval for a missing kind. */
const maxPauseMs = 10_000;

/**
 * Informer for a kind that the cluster may not serve. A missing kind counts as empty; it is retried, and its objects
 * are added once it is served.
 */
export class PolicyInformer<T extends KubeObject> {
  readonly informer: Informer<T>;
  readonly #options: PolicyInformerOptions<T>;
  readonly #settled = Promise.withResolvers<void>();
  #isSettled = false;
  #notFoundCount = 0;
  /** Resource version of the informer at the last NotFound response. */
  #missingSince: string | undefined;

  constructor(options: PolicyInformerOptions<T>) {
    this.#options = options;
    const onError = (error: ChandleryError): void => this.#noteError(error);
    this.informer = createInformer<T>({ ...options, onError, backOff: { maxMs: maxPauseMs } });
    // Prevents an unhandled rejection when no caller awaits the promise.
    this.#settled.promise.catch(() => undefined);
    this.informer.synced.then(() => this.#settle(), this.#settled.reject);
  }

  /** Resolves when all objects are read or the kind is missing; rejects with `Stopped`. */
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

  /** `plural.group/version`, for display. */
  get name(): string {
    return kindName(this.#options.ref);
  }

  #noteError(error: ChandleryError): void {
    if (!isError(error, 'NotFound')) {
      this.#notFoundCount = 0;
      return void this.#options.onError?.(error);
    }
    this.#notFoundCount++;
    if (this.#notFoundCount < notFoundBeforeMissing) return;
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
