import type { JsonObject, KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Cluster } from './kinds/cluster.ts';
import type { PortNumbers } from './kinds/dynamic-ports.ts';
import type { Finding } from './model/clusters/run-health.ts';
import type { PodSources } from './model/pods/environment.ts';
import type { Machine } from './model/pods/pod-fields.ts';
import type { PodStatus } from './model/pods/pod-status.ts';

export type { PodSources };

/** Issues tokens of pods' service accounts, for projected volumes. */
export interface PodTokens {
  /** Called again when the token is due for renewal. */
  issueToken(
    pod: { readonly uid: string; readonly name: string; readonly namespace: string; readonly serviceAccount: string },
    request: { readonly audience: string | undefined; readonly expirationSeconds: number },
  ): Promise<string>;
}

/** The cluster of a pod, and the address of its API. */
export interface PodHome {
  /** Distinguishes pods of several clusters on one node. */
  readonly cluster: string;
  /** Default: containers get no API. */
  readonly api?: { readonly server: string; readonly caPem: string };
  /** Issues tokens of its pods. Default: those of the node. */
  readonly tokens?: PodTokens;
  /** Whether a pod gets the files of its service account by default. Default true. */
  readonly hasAccount?: boolean;
}

/** Selects a part of a log. */
export interface LogRequest {
  readonly uid: string;
  readonly container: string;
  /** Continue until the container ends. Default false. */
  readonly follow?: boolean;
  /** Only the last lines. Default: all. */
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  /** RFC 3339; an alternative to `sinceSeconds`. */
  readonly sinceTime?: string;
  /** Put RFC 3339 times with nine digits before each line. Default false. */
  readonly timestamps?: boolean;
  /** The process before the current one. Default false. */
  readonly previous?: boolean;
  readonly limitBytes?: number;
  /** Only this stream. Default: both, in order of output. */
  readonly stream?: 'stdout' | 'stderr';
  readonly signal?: AbortSignal;
}

/** Called with every change of a pod's status, in order. */
export type StatusListener = (uid: string, status: PodStatus) => void;

/** Called with every failed probe. */
export type ProbeFailureListener = (
  uid: string,
  failure: { readonly container: string; readonly message: string },
) => void;

/** What a container uses at present. */
export interface ContainerUsage {
  readonly cpuCores: number;
  /** Private memory of its processes. */
  readonly memoryBytes: number;
  /** In claims. */
  readonly storageBytes: number;
  /** In what is removed with the pod: working folder, volumes, logs. */
  readonly ephemeralStorageBytes: number;
}

/** Runs pods. Implemented by the process node; a controller connects it to an API. */
export interface PodNode extends AsyncDisposable {
  readonly machine: Machine;
  /**
   * Starts a pod and returns at once. Called again for a running pod, it updates sources, labels and annotations. A pod
   * whose status says that it has ended is only recorded.
   */
  runPod(pod: KubeObject, sources: PodSources, home?: PodHome): void;
  /**
   * Stops a pod and waits until none of its processes is left. Status and logs stay. Idempotent; unknown pods are no
   * error.
   */
  stopPod(uid: string, graceSeconds: number): Promise<void>;
  /** Kills what is left of a pod and deletes its folder. */
  removePod(uid: string): Promise<void>;
  /**
   * Stops a pod's processes and removes it from the node. Its folder stays, as a leftover that `runPod` takes up again.
   */
  releasePod(uid: string, graceSeconds: number): Promise<void>;
  /** Deletes the content of a claim of a cluster, or of all its claims, which must not be in use. */
  removeClaims(cluster: string, claim?: { readonly namespace: string; readonly name: string }): Promise<void>;
  /** Undefined for unknown pods, and once the node is being disposed of: stops that it causes are not reported. */
  statusOf(uid: string): PodStatus | undefined;
  /** The folder of a pod's own volume, such as an emptyDir: exists until `removePod`. */
  volumeFolder(uid: string, volume: string): string;
  /** The port numbers that the node assigned to the pod; known once it has started. */
  portsOf(uid: string): PortNumbers;
  /** Returns a function that removes the listener. */
  onStatus(listener: StatusListener): () => void;
  /** Returns a function that removes the listener. */
  onProbeFailure(listener: ProbeFailureListener): () => void;
  /** The mapping of images has changed: pods that wait for one retry at once. */
  imagesChanged(): void;
  /** Throws `NotFound` or `BadRequest` when there is no such log. */
  readLog(request: LogRequest): AsyncIterable<Uint8Array>;
  /** Measures a container, which takes a moment; undefined when it does not run, or the machine has no such data. */
  usageOf(uid: string, container: string): Promise<ContainerUsage | undefined>;
  /** Uids of the known pods, of all clusters or of one. */
  list(cluster?: string): readonly string[];
  /** Uids of folders that an earlier node process left and that were not run since, of all clusters or of one. */
  listLeftovers(cluster?: string): readonly string[];
}

/** The state of a cluster at its source. */
export interface SourceState {
  /** Whether the API of the cluster is served. */
  readonly isReady: boolean;
  /** CamelCase, for the condition `Ready`. */
  readonly reason: string;
  /** One plain sentence; says where to look next while the cluster is not ready. */
  readonly message: string;
  /** Empty while there are none. */
  readonly endpoints: readonly { readonly name: string; readonly url: string }[];
  /** The Kubernetes version. Default: not known. */
  readonly version?: string;
  /** State that the source stores in the cluster's status. Default: none. */
  readonly providerStatus?: JsonObject;
  /** Whether pods can run on it, for the condition `RunReady`. Default: nothing is known, or nothing runs pods. */
  readonly run?: Finding;
  /** When to check again without a change. Default: not while it is ready, otherwise after a few seconds. */
  readonly checkAgainMs?: number;
}

/** A source of clusters: creates, connects and removes them. */
export interface ClusterSource extends AsyncDisposable {
  /** Also the name of its ClusterProfile and of the profile's providerConfigRef: logical, local or external. */
  readonly name: string;
  /** Creates the cluster, or updates it. Idempotent; called again until it is ready. */
  ensure(cluster: Cluster, signal: AbortSignal): Promise<SourceState>;
  /** Removes the cluster; true when nothing of it is left. Idempotent. */
  remove(cluster: Cluster, signal: AbortSignal): Promise<boolean>;
  /** A client with all rights. The source owns and caches it; rejects with `ClusterNotReady` while there is none. */
  connect(cluster: Cluster): Promise<Client>;
  /** The address for kubeconfigs. Rejects with `ClusterNotReady` while it is not known. */
  address(cluster: Cluster): Promise<ClusterAddress>;
  /**
   * Notifies of the keys (`namespace/name`) of clusters for which `ensure` or `remove` may have another result now.
   * Returns a function that removes the listener.
   */
  onChange(listener: (key: string) => void): () => void;
}

/** The address of a cluster, and its CA. */
export interface ClusterAddress {
  /** With the path prefix, if any. */
  readonly server: string;
  /** Undefined: the system's CAs. */
  readonly caPem: string | undefined;
  /** The name that the server's certificate has. Default: the host of `server`. */
  readonly tlsServerName?: string;
  /** The server's certificate is not verified, by the operator's configuration. Default false. */
  readonly isInsecure?: boolean;
}
