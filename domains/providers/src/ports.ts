import type { GroupVersionKind, KubeObject } from '@chandlery/api';
import type { Client, ObjectRef, ResourceRef } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import type { DesiredObject } from '@chandlery/runtime';
import type { ServedKind } from './model/tenants/served-kinds.ts';

/** Connects to the cluster of a kubeconfig. The caller closes the client. */
export type ConnectCluster = (kubeconfig: string) => Client;

/** Reads the last lines of the log of a pod on the platform cluster. */
export type ReadPodLog = (pod: KubeObject, tailLines: number) => Promise<string>;

/** The objects of one cluster, as steps see them. All reads are live: decisions about deletion must not use a stale cache. */
export interface ClusterObjects {
  find<T extends KubeObject>(ref: ObjectRef): Promise<T | undefined>;
  /** Empty when the kind is not served. */
  list<T extends KubeObject>(ref: ResourceRef, labels?: Readonly<Record<string, string>>): Promise<readonly T[]>;
  create(ref: ResourceRef, object: KubeObject): Promise<void>;
  /** Replaces the version that was read. */
  replace(ref: ObjectRef, object: KubeObject): Promise<void>;
  /** Server-side applies. A binding with another role, which is immutable, is deleted and created again. */
  readonly apply: <T extends KubeObject>(desired: DesiredObject) => Promise<T>;
  /** Deletes the object that was read, by uid, unless it is being deleted already. Does not wait. */
  remove(ref: ResourceRef, object: KubeObject): Promise<void>;
}

/** Opens the objects of a client's cluster; writes have the given field manager. */
export type OpenObjects = (client: Client, fieldManager: string) => ClusterObjects;

/** Notified of objects of kinds that are added and removed at run time. */
export interface KindListener {
  objectChanged(kind: ServedKind, object: KubeObject, change: 'added' | 'updated' | 'deleted'): void;
  /** A kind is served, no longer served, or no longer wanted. */
  kindsChanged(): void;
}

export interface KindWatchOptions {
  readonly client: Client;
  /** The kinds of interest; called again on `refresh`. */
  readonly wanted: () => readonly GroupVersionKind[];
  readonly logger: Logger;
}

/**
 * Watches the objects of kinds that are not known when the process starts: those that providers install and
 * configurations name.
 */
export interface KindWatch extends AsyncDisposable {
  /** Starts the watches; resolves when the served kinds are known. */
  start(): Promise<void>;
  /** The kinds that are served as namespaced kinds now. */
  served(kinds: readonly GroupVersionKind[]): readonly ServedKind[];
  /** The description in the definition of a kind. */
  description(kind: Pick<GroupVersionKind, 'group' | 'kind'>): string | undefined;
  /** Reads the wanted kinds again; to be called when they may have changed. */
  refresh(): void;
  listen(listener: KindListener): void;
}

/** What the controllers of tenants need from the clusters they work on. */
export interface TenantPorts {
  readonly openObjects: OpenObjects;
  readonly watchKinds: (options: KindWatchOptions) => KindWatch;
}
