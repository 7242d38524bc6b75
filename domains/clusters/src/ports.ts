import type { JsonObject, KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Cluster } from './kinds/cluster.ts';
import type { PortNumbers } from './kinds/dynamic-ports.ts';
import type { Finding } from './model/clusters/run-health.ts';
import type { Machine } from './model/pods/pod-fields.ts';
import type { PodStatus } from './model/pods/pod-status.ts';

/** The values that a pod's ConfigMap and Secret references stand for, by object and key. Missing objects are left out. */
export interface PodSources {
  readonly secrets: Readonly<Record<string, Readonly<Record<string, Uint8Array>>>>;
  readonly configMaps: Readonly<Record<string, Readonly<Record<string, Uint8Array>>>>;
}

/** Gives tokens to pods' service accounts, for projected volumes. */
export interface PodTokens {
  /** Called again when four fifths of the token's life are over. */
  issueToken(
    pod: { readonly uid: string; readonly name: string; readonly namespace: string; readonly serviceAccount: string },
    request: { readonly audience: string | undefined; readonly expirationSeconds: number },
  ): Promise<string>;
}

/** Where a pod belongs, and how its containers reach the API there. */
export interface PodHome {
  /** Tells pods of several clusters on one node apart. */
  readonly cluster: string;
  /** Default: containers are not told of any API. */
  readonly api?: { readonly server: string; readonly caPem: string };
  /** Who gives tokens to its pods. Default: whoever gives them on the node. */
  readonly tokens?: PodTokens;
  /** Whether a pod that says nothing of it gets the files of its service account. Default true. */
  readonly hasAccount?: boolean;
}

/** Which part of which log. */
export interface LogRequest {
  readonly uid: string;
  readonly container: string;
  /** Go on until the container ends. Default false. */
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
  /** Only what was written there. Default: both, in the order in which it came. */
  readonly stream?: 'stdout' | 'stderr';
  readonly signal?: AbortSignal;
}

/** Called with every change of a pod's status, in order. */
export type StatusListener = (uid: string, status: PodStatus) => void;

/** Called with every answer of a probe that is not a good one. */
export type ProbeFailureListener = (
  uid: string,
  failure: { readonly container: string; readonly message: string },
) => void;

/** What a container uses at present. */
export interface ContainerUsage {
  readonly cpuCores: number;
  /** Memory that its processes have for themselves. */
  readonly memoryBytes: number;
  /** In claims. */
  readonly storageBytes: number;
  /** In what goes with the pod: working folder, volumes, logs. */
  readonly ephemeralStorageBytes: number;
}

/** What runs pods. Implemented by the process node; a controller connects it to an API. */
export interface PodNode extends AsyncDisposable {
  readonly machine: Machine;
  /**
   * Starts to run a pod and returns at once. Called again for a pod that runs, it renews sources, labels and annotations.
   * A pod whose own status says that it is over is only remembered.
   */
  runPod(pod: KubeObject, sources: PodSources, home?: PodHome): void;
  /** Ends a pod and waits until no process of it is left. Status and logs stay. May be called twice; unknown pods are no error. */
  stopPod(uid: string, graceSeconds: number): Promise<void>;
  /** Kills what is left of a pod and deletes its folder. */
  removePod(uid: string): Promise<void>;
  /** Ends a pod's processes and forgets it. Its folder stays, as a leftover that `runPod` takes up again. */
  releasePod(uid: string, graceSeconds: number): Promise<void>;
  /** Deletes what was written to a claim of a cluster, or to all of them. Nobody uses them any more. */
  removeClaims(cluster: string, claim?: { readonly namespace: string; readonly name: string }): Promise<void>;
  /** Undefined for unknown pods, and once the node is being disposed of: ends that it brings about are not told. */
  statusOf(uid: string): PodStatus | undefined;
  /** The folder of a pod's own volume, such as an emptyDir: there until `removePod`. */
  volumeFolder(uid: string, volume: string): string;
  /** The numbers of the ports that the pod leaves to the node; known once it has started. */
  portsOf(uid: string): PortNumbers;
  /** Returns how to stop listening. */
  onStatus(listener: StatusListener): () => void;
  /** Returns how to stop listening. */
  onProbeFailure(listener: ProbeFailureListener): () => void;
  /** What stands for images has changed: pods that wait for one try again at once. */
  imagesChanged(): void;
  /** Refuses with `NotFound` or `BadRequest` when there is no such log. */
  readLog(request: LogRequest): AsyncIterable<Uint8Array>;
  /** Measures a container, which takes a moment; undefined when it does not run, or the machine does not tell. */
  usageOf(uid: string, container: string): Promise<ContainerUsage | undefined>;
  /** Uids of the pods it knows, of all clusters or of one. */
  list(cluster?: string): readonly string[];
  /** Uids whose folders an earlier life left behind and nobody has run since, of all clusters or of one. */
  listLeftovers(cluster?: string): readonly string[];
}

/** How far a source has come with a cluster. */
export interface SourceState {
  /** Whether the API of the cluster is served. */
  readonly isReady: boolean;
  /** CamelCase, for the condition `Ready`. */
  readonly reason: string;
  /** One plain sentence; says where to look next while the cluster is not ready. */
  readonly message: string;
  /** Empty while there are none. */
  readonly endpoints: readonly { readonly name: string; readonly url: string }[];
  /** Of Kubernetes. Default: not known. */
  readonly version?: string;
  /** What the source wants to remember in the cluster's status. Default: nothing. */
  readonly providerStatus?: JsonObject;
  /** Whether pods can run on it, for the condition `RunReady`. Default: nothing is known, or nothing runs pods. */
  readonly run?: Finding;
  /** When to look again if nothing is heard before. Default: not while it is ready, otherwise after a few seconds. */
  readonly checkAgainMs?: number;
}

/** Where clusters come from: one way to make, reach and remove them. */
export interface ClusterSource extends AsyncDisposable {
  /** Also the name of its ClusterProfile and of the profile's providerConfigRef: logical, local or external. */
  readonly name: string;
  /** Works towards the cluster that is wanted. Idempotent; called again until it is ready. */
  ensure(cluster: Cluster, signal: AbortSignal): Promise<SourceState>;
  /** Takes the cluster away; true when nothing of it is left. Idempotent. */
  remove(cluster: Cluster, signal: AbortSignal): Promise<boolean>;
  /** A client with all rights. The source owns and caches it; rejects with `ClusterNotReady` while there is none. */
  connect(cluster: Cluster): Promise<Client>;
  /** What goes into kubeconfigs for others. Rejects with `ClusterNotReady` while it is not known. */
  address(cluster: Cluster): Promise<ClusterAddress>;
  /** Tells keys (`namespace/name`) of clusters for which `ensure` or `remove` may have another answer now. Returns how to stop. */
  onChange(listener: (key: string) => void): () => void;
}

/** Where a cluster is served, and whom to trust there. */
export interface ClusterAddress {
  /** With the path prefix, if any. */
  readonly server: string;
  /** Undefined: what the system trusts. */
  readonly caPem: string | undefined;
  /** The name that the server's certificate has. Default: the host of `server`. */
  readonly tlsServerName?: string;
  /** Nobody checks the server's certificate, as its operator said. Default false. */
  readonly isInsecure?: boolean;
}
