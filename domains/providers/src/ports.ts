import type { KubeObject } from '@chandlery/api';
import type { Client, ObjectRef, ResourceRef } from '@chandlery/client';
import type { DesiredObject } from '@chandlery/runtime';

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
