import type { ChandleryError } from '@chandlery/api';
import { type Client, type Kubeconfig, parseKubeconfig } from '@chandlery/client';
import type { Clock } from '@chandlery/platform';
import type { ClusterConnection } from './cluster-connection.ts';

/** Reads a cluster through a client that can be replaced. */
export interface Reader {
  /** Uses this client from now on. No effect when it is used already. */
  follow(client: Client): void;
  stop(): Promise<void>;
}

interface Shared<R extends Reader> {
  readonly reader: R;
  readonly users: Map<string, Client>;
  /** The user whose client is in use. */
  by: string;
  switchedAtMs: number;
}

interface User {
  readonly kubeconfig: string;
  readonly cluster: string;
}

const switchAfterMs = 10_000;
/** Failures that the client of another user would have too. */
const commonFailures = new Set(['NotFound', 'Expired', 'Gone', 'WatchIdle']);

/**
 * Shares one reader for each cluster among its users. Users may have different clients: the reader uses the client of
 * one of them, and switches to another when that user leaves or its client is rejected.
 */
export class ClusterShare<R extends Reader> implements AsyncDisposable {
  readonly #create: (onFailure: (error: ChandleryError) => void) => R;
  readonly #clock: Clock;
  readonly #shared = new Map<string, Shared<R>>();
  readonly #users = new Map<string, User>();
  readonly #ending = new Set<Promise<void>>();

  constructor(create: (onFailure: (error: ChandleryError) => void) => R, clock: Clock) {
    this.#create = create;
    this.#clock = clock;
  }

  /** Returns the reader of a cluster for a user. */
  use(connection: ClusterConnection, user: string): R {
    const cluster = this.#clusterOf(connection, user);
    const shared = this.#shared.get(cluster) ?? this.#open(cluster, user);
    shared.users.set(user, connection.client);
    if (shared.by === user) shared.reader.follow(connection.client);
    return shared.reader;
  }

  /** Removes a user; the reader of its last user is stopped. */
  leave(user: string): void {
    const { cluster = '' } = this.#users.get(user) ?? {};
    this.#users.delete(user);
    const shared = this.#shared.get(cluster);
    if (shared === undefined || !shared.users.delete(user)) return;
    if (shared.users.size === 0) this.#close(cluster, shared.reader);
    else if (shared.by === user) this.#switch(shared);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const [cluster, { reader }] of [...this.#shared]) this.#close(cluster, reader);
    this.#users.clear();
    await Promise.all(this.#ending);
  }

  /** The cluster of a user. It changes when the user's kubeconfig has another address. */
  #clusterOf(connection: ClusterConnection, user: string): string {
    const { kubeconfig } = connection;
    const known = this.#users.get(user);
    if (known?.kubeconfig === kubeconfig) return known.cluster;
    const cluster = clusterIdOf(connection);
    if (known !== undefined && known.cluster !== cluster) this.leave(user);
    this.#users.set(user, { kubeconfig, cluster });
    return cluster;
  }

  #open(cluster: string, by: string): Shared<R> {
    const reader = this.#create(error => this.#noteFailure(cluster, error));
    const shared = { reader, users: new Map<string, Client>(), by, switchedAtMs: 0 };
    this.#shared.set(cluster, shared);
    return shared;
  }

  #close(cluster: string, reader: R): void {
    this.#shared.delete(cluster);
    const ending = reader.stop().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  #noteFailure(cluster: string, error: ChandleryError): void {
    const shared = this.#shared.get(cluster);
    if (shared === undefined || shared.users.size < 2 || commonFailures.has(error.code)) return;
    if (this.#clock.now().getTime() - shared.switchedAtMs >= switchAfterMs) this.#switch(shared);
  }

  /** Switches to the client of the next user; the one that failed last comes last. */
  #switch(shared: Shared<R>): void {
    const failed = shared.users.get(shared.by);
    if (failed !== undefined) {
      shared.users.delete(shared.by);
      shared.users.set(shared.by, failed);
    }
    const [next] = shared.users;
    if (next === undefined) return;
    shared.switchedAtMs = this.#clock.now().getTime();
    [shared.by] = next;
    shared.reader.follow(next[1]);
  }
}

/** Identifies a cluster by its address, whichever connection is used; without an address, by the connection. */
function clusterIdOf({ kubeconfig, id }: Pick<ClusterConnection, 'kubeconfig' | 'id'>): string {
  const server = kubeconfig === '' ? undefined : serverOf(kubeconfig);
  return server === undefined ? id : `at ${server}`;
}

function serverOf(text: string): string | undefined {
  const kubeconfig = tryParse(text);
  const context = kubeconfig?.contexts.find(({ name }) => name === kubeconfig['current-context'])?.context;
  return kubeconfig?.clusters.find(({ name }) => name === context?.cluster)?.cluster.server;
}

/** Parse errors are ignored here; connecting reports them. */
function tryParse(text: string): Kubeconfig | undefined {
  try {
    return parseKubeconfig(text, 'of the connection');
  } catch {
    return undefined;
  }
}
