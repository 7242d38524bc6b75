import type { KubeObject } from '@chandlery/api';
import type { ObjectRef } from '@chandlery/client';
import type { Clock, Logger } from '@chandlery/platform';
import type { EventRecorder } from '@chandlery/runtime';
import type { ManagementAction } from '../model/management-policies.ts';
import type { ClusterRole, Connections } from './cluster-connection.ts';

/** The result of a custom readiness check. */
export interface Readiness {
  readonly isReady: boolean;
  readonly message?: string;
}

/** An object that should exist. */
export interface Desired {
  readonly cluster: ClusterRole;
  /** The complete desired state. Only its fields are owned; defaults and fields of other managers stay. */
  readonly object: KubeObject;
  /** Default: that of well-known kinds, otherwise the kind in lower case followed by an s. */
  readonly plural?: string;
  /** Default: by kind (Deployment available, Job complete, CRD established, otherwise: it exists). */
  readonly isReady?: (live: KubeObject) => Readiness;
  /**
   * Several owners desire the same object, with the same content; it is deleted with the last of them. Default: true
   * for CustomResourceDefinitions, otherwise false.
   */
  readonly isShared?: boolean;
}

/** The owner of managed objects: a service object. */
export interface OwnerInfo {
  /** `namespace/name`. */
  readonly key: string;
  readonly instanceId: string;
  readonly kind: string;
  /** The allowed actions. Default: all. */
  readonly allows?: ReadonlySet<ManagementAction>;
  /** The service object, which events are recorded for. Default: no events. */
  readonly object?: KubeObject;
  /**
   * The entries of the last report (`status.resources`). After a restart they are the only way to find objects of kinds
   * that are no longer desired. Default: none.
   */
  readonly resources?: readonly ResourceEntry[];
}

export type ChangeAction = 'create' | 'update' | 'delete';

/** A change that was made to an object, or would be. */
export interface Change {
  readonly cluster: ClusterRole;
  readonly action: ChangeAction;
  readonly kind: string;
  /** Undefined for cluster-scoped objects. */
  readonly namespace: string | undefined;
  readonly name: string;
  /** Paths such as `spec.replicas`, sorted; empty unless the action is an update. */
  readonly fields: readonly string[];
  /** The desired state is unchanged: another client had changed or deleted the object. */
  readonly isDrift: boolean;
}

export type ResourcePhase = 'Pending' | 'Progressing' | 'Ready' | 'Failed' | 'Terminating' | 'Unknown';
export type ResourceLocation = 'ManagedControlPlane' | 'WorkloadCluster' | 'PlatformCluster';

/** An entry of `status.resources`. */
export interface ResourceEntry {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string;
  readonly phase: ResourcePhase;
  /** Empty when there is no message. */
  readonly message: string;
  readonly location: ResourceLocation;
}

/**
 * `Missing`: an object does not exist and must not be created. `Conflict`: an object belongs to another owner and was
 * not changed.
 */
export type ApplyReason = 'Ready' | 'Progressing' | 'Failed' | 'Conflict' | 'Missing';

/** The result of an apply. */
export interface ApplyReport {
  readonly changes: readonly Change[];
  /** One for each desired object, in order. */
  readonly resources: readonly ResourceEntry[];
  readonly isReady: boolean;
  readonly reason: ApplyReason;
  /** One sentence about the first object that is not ready; empty when all are. */
  readonly message: string;
  /** Set when no watch reports further changes, as after a conflict. */
  readonly requeueAfterMs?: number;
}

/** An object of an owner, with its cluster. */
export interface SurveyedObject {
  readonly role: ClusterRole;
  readonly ref: ObjectRef;
  readonly object: KubeObject;
}

/** The progress of a removal. */
export interface RemovalReport {
  readonly isRemoved: boolean;
  /** What is waited for; empty when everything is deleted. */
  readonly message: string;
}

/** Callbacks for metrics. */
export interface ManagedObjectsMetrics {
  /** A deviation was repaired this long after the watch reported it. */
  onDriftRepaired?(seconds: number): void;
}

export interface ManagedObjectsOptions {
  /** The field owner of everything that is applied: `provider.<provider name>`. */
  readonly fieldManager: string;
  /** The provider's name, value of the label `openmcp.cloud/managed-by`. */
  readonly provider: string;
  /** Called with the key of an owner when another client changed or deleted one of its objects: apply again. */
  onDrift(key: string): void;
  /**
   * Called with the key of an owner when one of its objects became ready, failed, or was deleted as requested. Default:
   * `onDrift`.
   */
  onChange?(key: string): void;
  /** Events of owners that carry their object. Default: none. */
  readonly recorder?: Pick<EventRecorder, 'record'>;
  readonly logger: Logger;
  readonly metrics?: ManagedObjectsMetrics;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/**
 * Keeps objects on other clusters in their desired state: by server-side apply with one field owner, and by watches
 * that all owners on a cluster share. All state is recovered from the clusters; calls for one owner do not overlap.
 */
export interface ManagedObjects extends AsyncDisposable {
  /**
   * Applies the desired objects in order and deletes objects of the owner that are no longer desired. Writes nothing
   * when nothing differs. Failed requests reject; conflicts with other owners are reported.
   */
  apply(
    owner: OwnerInfo,
    connections: Connections,
    desired: readonly Desired[],
    signal: AbortSignal,
  ): Promise<ApplyReport>;
  /** Returns what `apply` would do now; writes nothing. */
  plan(
    owner: OwnerInfo,
    connections: Connections,
    desired: readonly Desired[],
    signal: AbortSignal,
  ): Promise<readonly Change[]>;
  /**
   * Deletes everything of the owner, the last desired object first, each after those behind it, namespaces at the end.
   * When not everything is removed, call it again after `onChange` for the key, or after a delay. A cluster without a
   * connection counts as removed.
   */
  remove(
    owner: OwnerInfo,
    connections: Connections,
    desired: readonly Desired[],
    signal: AbortSignal,
  ): Promise<RemovalReport>;
  /** Returns everything of the owner on the clusters, from the servers. */
  survey(
    owner: OwnerInfo,
    connections: Connections,
    desired: readonly Desired[],
    signal: AbortSignal,
  ): Promise<readonly SurveyedObject[]>;
  /**
   * Releases everything of the owner: ownership labels and field ownership are removed, the objects stay and record
   * their former owner. Returns one line for each object.
   */
  release(
    owner: OwnerInfo,
    connections: Connections,
    desired: readonly Desired[],
    signal: AbortSignal,
  ): Promise<readonly string[]>;
  /** Stops the watches of a cluster. The next call with a connection of this id starts them again. */
  forget(connectionId: string): void;
}
