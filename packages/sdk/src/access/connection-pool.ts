import type { KubeObject } from '@chandlery/api';
import { type Client, createClient, loadKubeconfig } from '@chandlery/client';
import { type Clock, type Logger, silentLogger, systemClock } from '@chandlery/platform';
import { systemTimers, type Timers } from '@chandlery/runtime';
import type { ClusterConnection } from '../objects/cluster-connection.ts';
import type { Place } from '../sync/syncer.ts';
import { readAccessSecret, readAgainAfterMs } from './access-secret.ts';
import { createRotatingClient, type RotatingClient } from './rotating-client.ts';

export interface ConnectionPoolOptions {
  /** Reads the Secrets. */
  readonly platform: Pick<Client, 'get'>;
  /** Default: over the network. */
  readonly connect?: (kubeconfig: string) => Client;
  readonly logger?: Logger;
  readonly clock?: Clock;
  readonly timers?: Timers;
}

interface Pooled {
  readonly secret: Place;
  readonly client: RotatingClient;
  kubeconfig: string;
  cancelReading: () => void;
}

const connectByNetwork = (kubeconfig: string): Client => createClient(loadKubeconfig(kubeconfig));

/** Keeps one connection for each access and renews its credentials. */
export class ConnectionPool implements AsyncDisposable {
  readonly #options: Required<ConnectionPoolOptions>;
  readonly #pooled = new Map<string, Pooled>();
  readonly #opening = new Map<string, Promise<Pooled>>();

  constructor(options: ConnectionPoolOptions) {
    this.#options = {
      connect: connectByNetwork,
      logger: silentLogger,
      clock: systemClock,
      timers: systemTimers,
      ...options,
    };
  }

  /**
   * Returns the connection with the credentials of a Secret. The first caller opens it; concurrent callers share it.
   */
  async connect(id: string, secret: Place, signal?: AbortSignal): Promise<ClusterConnection> {
    // Failures of other callers are reported to them.
    while (this.#opening.has(id)) await this.#opening.get(id)?.catch(() => undefined);
    const known = this.#pooled.get(id);
    if (known !== undefined && known.secret.name === secret.name) return connectionOf(id, known);
    const opening = this.#open(id, secret, signal).finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return connectionOf(id, await opening);
  }

  /** Reads the Secret again and replaces the credentials if they changed. Never throws. */
  async refresh(id: string): Promise<void> {
    const pooled = this.#pooled.get(id);
    if (pooled === undefined) return;
    try {
      const { kubeconfig, afterMs } = await this.#read(pooled.secret);
      if (this.#pooled.get(id) !== pooled) return;
      if (kubeconfig !== pooled.kubeconfig) pooled.client.replace(this.#options.connect(kubeconfig));
      pooled.kubeconfig = kubeconfig;
      this.#readLater(id, pooled, afterMs);
    } catch (error) {
      this.#options.logger.warn('cannot read credentials again', { access: id, error });
      this.#readLater(id, pooled, 60_000);
    }
  }

  /** Closes a connection. */
  async close(id: string): Promise<void> {
    const pooled = this.#pooled.get(id);
    if (pooled === undefined) return;
    this.#pooled.delete(id);
    pooled.cancelReading();
    await pooled.client[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#pooled.keys()].map(id => this.close(id)));
  }

  async #open(id: string, secret: Place, signal: AbortSignal | undefined): Promise<Pooled> {
    await this.close(id);
    const { kubeconfig, afterMs } = await this.#read(secret, signal);
    const made: Pooled = {
      secret,
      client: createRotatingClient(this.#options.connect(kubeconfig), { timers: this.#options.timers }),
      kubeconfig,
      cancelReading: () => undefined,
    };
    this.#pooled.set(id, made);
    this.#readLater(id, made, afterMs);
    return made;
  }

  async #read(secret: Place, signal?: AbortSignal): Promise<{ kubeconfig: string; afterMs: number }> {
    const ref = { group: '', version: 'v1', plural: 'secrets', ...secret };
    const live = await this.#options.platform.get<KubeObject>(ref, signal === undefined ? {} : { signal });
    const read = readAccessSecret(live);
    return { kubeconfig: read.kubeconfig, afterMs: readAgainAfterMs(read, this.#options.clock.now()) };
  }

  #readLater(id: string, pooled: Pooled, afterMs: number): void {
    pooled.cancelReading();
    if (this.#pooled.get(id) !== pooled) return;
    pooled.cancelReading = this.#options.timers.after(afterMs, () => void this.refresh(id));
  }
}

/** The kubeconfig is read at each access, because the credentials of a connection are replaced. */
const connectionOf = (id: string, pooled: Pooled): ClusterConnection => ({
  id,
  client: pooled.client,
  get kubeconfig() {
    return pooled.kubeconfig;
  },
});
