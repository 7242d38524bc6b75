import { setTimeout as sleep } from 'node:timers/promises';
import { ChandleryError, toError } from '@chandlery/api';
import type { ArgoCluster, ConnectArgo } from '../../order-ports.ts';

const connectTimeoutMs = 20_000;
const retryMs = 5000;

/** The connection to the cluster of an Argo: made when it is needed first, and again after a failure. */
export class ArgoConnection implements AsyncDisposable {
  readonly #cluster: string;
  readonly #connect: ConnectArgo;
  readonly #stopping = new AbortController();
  #current: Promise<ArgoCluster> | undefined;

  constructor(cluster: string, connect: ConnectArgo) {
    this.#cluster = cluster;
    this.#connect = connect;
  }

  /** Rejects with `ConnectionFailed` while there is no access to the cluster. */
  open(): Promise<ArgoCluster> {
    if (this.#current !== undefined) return this.#current;
    const opening = this.#open();
    this.#current = opening;
    opening.catch(() => {
      if (this.#current === opening) this.#current = undefined;
    });
    return opening;
  }

  /** As {@link open}, however long it takes. Rejects when the signal is aborted or the connection disposed of. */
  async openEventually(signal: AbortSignal, onFailure: (error: Error) => void): Promise<ArgoCluster> {
    const ended = AbortSignal.any([signal, this.#stopping.signal]);
    for (;;) {
      ended.throwIfAborted();
      try {
        return await this.open();
      } catch (error) {
        if (!ended.aborted) onFailure(toError(error));
        await sleep(retryMs, undefined, { signal: ended });
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#current?.catch(() => undefined);
  }

  async #open(): Promise<ArgoCluster> {
    try {
      const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(connectTimeoutMs)]);
      return await this.#connect(this.#cluster, signal);
    } catch (cause) {
      const why = toError(cause).message;
      throw new ChandleryError('ConnectionFailed', `no access to cluster "${this.#cluster}": ${why}`, { cause });
    }
  }
}
