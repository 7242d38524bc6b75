import type { Client } from '@chandlery/client';
import type { Cluster } from '../../kinds/cluster.ts';
import type { Finding } from '../../model/clusters/run-health.ts';
import type { ClusterAddress, ClusterSource, SourceState } from '../../ports.ts';
import { isLasting, logicalName } from '../logical/logical-cluster.ts';

/** The workloads of a cluster. Disposing of them stops them; the next start takes up what they left on this machine. */
export interface RunningWorkloads extends AsyncDisposable {
  /** Stops them and deletes what they left, because the cluster is deleted. */
  purge(): Promise<void>;
}

/** Runs the workloads of a cluster. */
export type RunWorkloads = (clusterName: string, client: Client) => RunningWorkloads;

export interface LocalSourceOptions {
  /** The source of the APIs. Disposed of by its owner. */
  readonly logical: ClusterSource;
  /** A client for the workloads of a logical cluster. The source disposes of it after them. */
  readonly connectLogical: (name: string) => Client;
  /** Default: nothing runs pods, and clusters report that. */
  readonly runWorkloads?: RunWorkloads;
}

/** Logical clusters on which a node of this machine runs pods. For development only. */
export const createLocalSource = (options: LocalSourceOptions): ClusterSource => new LocalSource(options);

class LocalSource implements ClusterSource {
  readonly name = 'local';
  readonly onChange: ClusterSource['onChange'];
  readonly #options: LocalSourceOptions;
  readonly #running = new Map<string, Running>();
  #isDisposed = false;

  constructor(options: LocalSourceOptions) {
    this.#options = options;
    this.onChange = listener => options.logical.onChange(listener);
  }

  async ensure(cluster: Cluster, signal: AbortSignal): Promise<SourceState> {
    const state = await this.#options.logical.ensure(cluster, signal);
    if (!state.isReady) return state;
    if (!this.#run(logicalName(cluster))) return { ...state, run: noNode };
    return { ...state, message: `${state.message} Its pods are processes of the server's machine.`, run: hasNode };
  }

  /** Workloads run to the end: only they can stop the pods that block the deletion of the logical cluster. */
  async remove(cluster: Cluster, signal: AbortSignal): Promise<boolean> {
    const isGone = await this.#options.logical.remove(cluster, signal);
    const name = logicalName(cluster);
    if (!isGone) this.#run(name);
    else if (!isLasting(name)) await this.#running.get(name)?.workloads.purge();
    if (isGone) await this.#stop(name);
    return isGone;
  }

  connect(cluster: Cluster): Promise<Client> {
    return this.#options.logical.connect(cluster);
  }

  address(cluster: Cluster): Promise<ClusterAddress> {
    return this.#options.logical.address(cluster);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await Promise.all([...this.#running.keys()].map(name => this.#stop(name)));
  }

  /** False when there is no `runWorkloads`. */
  #run(name: string): boolean {
    const { connectLogical, runWorkloads } = this.#options;
    if (runWorkloads === undefined) return false;
    if (this.#isDisposed || this.#running.has(name)) return true;
    const client = connectLogical(name);
    this.#running.set(name, { client, workloads: runWorkloads(name, client) });
    return true;
  }

  async #stop(name: string): Promise<void> {
    const running = this.#running.get(name);
    await running?.workloads[Symbol.asyncDispose]();
    await running?.client[Symbol.asyncDispose]();
    this.#running.delete(name);
  }
}

interface Running {
  readonly client: Client;
  readonly workloads: RunningWorkloads;
}

const hasNode: Finding = {
  status: 'True',
  reason: 'NodesReady',
  message: "A node of the server's machine runs its pods.",
};

const noNode: Finding = {
  status: 'False',
  reason: 'NoNode',
  message:
    'This process has no node to run pods with; use the profile "logical" for an API alone, or an external cluster.',
};
