import { isError, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Informer } from '@chandlery/runtime';
import { clusterNotReady } from '../../errors.ts';
import type { Cluster } from '../../kinds/cluster.ts';
import { clusterNames } from '../../kinds/names.ts';
import type { ClusterAddress, ClusterSource, SourceState } from '../../ports.ts';
import { ChangeListeners } from '../change-listeners.ts';
import {
  clusterKey,
  isLasting,
  logicalClusters,
  logicalName,
  madeFor,
  newLogicalCluster,
  relationOf,
} from './logical-cluster.ts';

export interface LogicalSourceOptions {
  /** The platform cluster, where logical clusters are created. */
  readonly platform: Pick<Client, 'create' | 'delete'>;
  /** LogicalClusters of the platform cluster. Not stopped by the source. */
  readonly informer: Informer;
  /** A client with all rights on a logical cluster. The source disposes of it. */
  readonly connectLogical: (name: string) => Client;
  readonly server: LandscapeServer;
}

/** Where a landscape serves its clusters, and as which Kubernetes. */
export interface LandscapeServer {
  readonly url: string;
  /** Read each time: it changes when the landscape's authority is rotated. */
  readonly caPem: string | undefined;
  /** Calls the listener when `caPem` has changed. Default: it never does. */
  readonly onCaChange?: (listener: () => void) => () => void;
  readonly version: string;
}

/** Clusters that Chandlery serves itself: APIs without nodes. */
export const createLogicalSource = (options: LogicalSourceOptions): ClusterSource => new LogicalSource(options);

class LogicalSource implements ClusterSource {
  readonly name = 'logical';
  readonly #options: LogicalSourceOptions;
  readonly #clients = new Map<string, Client>();
  readonly #listeners = new ChangeListeners();
  readonly #unlisten: readonly (() => void)[];

  constructor(options: LogicalSourceOptions) {
    this.#options = options;
    const notify = (object: KubeObject): void => {
      const key = madeFor(object);
      if (key !== undefined) this.#listeners.notify(key);
    };
    const notifyAll = (): void => options.informer.list().forEach(notify);
    this.#unlisten = [
      options.informer.listen({ added: notify, updated: notify, deleted: notify }),
      options.server.onCaChange?.(notifyAll) ?? (() => undefined),
    ];
  }

  readonly onChange = this.#listeners.add;

  async ensure(cluster: Cluster, signal: AbortSignal): Promise<SourceState> {
    await this.#options.informer.synced;
    switch (this.#relation(cluster)) {
      case 'ours':
        return this.#ready(cluster);
      case 'missing':
        return this.#create(cluster, signal);
      case 'leaving':
        return pending('LogicalClusterTerminating', `Logical cluster "${logicalName(cluster)}" is being deleted.`);
      case 'foreign':
        return foreign(logicalName(cluster));
    }
  }

  async remove(cluster: Cluster, signal: AbortSignal): Promise<boolean> {
    await this.#options.informer.synced;
    const name = logicalName(cluster);
    const relation = this.#relation(cluster);
    if (relation === 'missing' || relation === 'foreign' || isLasting(name)) return this.#forget(name);
    if (relation === 'ours') await this.#delete(name, signal);
    return false;
  }

  async connect(cluster: Cluster): Promise<Client> {
    await this.#options.informer.synced;
    const name = logicalName(cluster);
    const relation = this.#relation(cluster);
    // A terminating cluster is still served for clients that have to remove finalizers.
    if (relation === 'missing' || relation === 'foreign') {
      throw clusterNotReady(clusterKey(cluster), `there is no logical cluster "${name}" of it`);
    }
    const known = this.#clients.get(name);
    if (known !== undefined) return known;
    const client = this.#options.connectLogical(name);
    this.#clients.set(name, client);
    return client;
  }

  async address(cluster: Cluster): Promise<ClusterAddress> {
    const { url, caPem } = this.#options.server;
    return { server: `${url}/clusters/${logicalName(cluster)}`, caPem };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const unlisten of this.#unlisten) unlisten();
    const clients = [...this.#clients.values()];
    this.#clients.clear();
    await Promise.all(clients.map(client => client[Symbol.asyncDispose]()));
  }

  #relation(cluster: Cluster): ReturnType<typeof relationOf> {
    return relationOf(this.#options.informer.get(undefined, logicalName(cluster)), cluster);
  }

  /** The cluster is ready as soon as it exists, which the informer reports. */
  async #create(cluster: Cluster, signal: AbortSignal): Promise<SourceState> {
    const name = logicalName(cluster);
    try {
      await this.#options.platform.create(logicalClusters, newLogicalCluster(cluster), { signal });
    } catch (error) {
      if (!isError(error, 'AlreadyExists')) throw error;
    }
    return pending('CreatingLogicalCluster', `Logical cluster "${name}" is being made.`);
  }

  async #delete(name: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#options.platform.delete({ ...logicalClusters, name }, { signal });
    } catch (error) {
      if (!isError(error, 'NotFound')) throw error;
    }
  }

  async #forget(name: string): Promise<true> {
    const client = this.#clients.get(name);
    this.#clients.delete(name);
    await client?.[Symbol.asyncDispose]();
    return true;
  }

  async #ready(cluster: Cluster): Promise<SourceState> {
    const { server } = await this.address(cluster);
    return {
      isReady: true,
      reason: 'Serving',
      message: `Logical cluster "${logicalName(cluster)}" is served.`,
      endpoints: [
        { name: clusterNames.externalEndpoint, url: server },
        { name: clusterNames.internalEndpoint, url: server },
      ],
      version: this.#options.server.version,
      providerStatus: { logicalCluster: logicalName(cluster) },
    };
  }
}

const pending = (reason: string, message: string): SourceState => ({ isReady: false, reason, message, endpoints: [] });

const foreign = (name: string): SourceState =>
  pending(
    'NameTaken',
    `Logical cluster "${name}" was not made for this Cluster; delete it (npx chandlery cluster delete ${name}), or choose another name.`,
  );
