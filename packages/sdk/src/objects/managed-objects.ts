import type { KubeObject } from '@chandlery/api';
import type { ObjectRef } from '@chandlery/client';
import type { Clock, Logger } from '@chandlery/platform';
import type { EventRecorder } from '@chandlery/runtime';
import type { ManagementAction } from '../model/management-policies.ts';
import type { ClusterRole, Connections } from './cluster-connection.ts';

/** What a custom look at a live object found. */
export interface Readiness {
  readonly isReady: boolean;
  readonly message?: string;
}

/** An object that should exist. */
export interface Desired {
  readonly cluster: ClusterRole;
  /** The complete wish. Only its fields are owned; defaults and what others add stay. */
  readonly object: KubeObject;
  /** Default: that of well-known kinds, otherwise the kind in lower case with an s. */
  readonly plural?: string;
  /** Default: by kind (Deployment available, Job complete, CRD established, otherwise: it exists). */
  readonly isReady?: (live: KubeObject) => Readiness;
  /**
   * Several owners wish for the same object, which goes with the last of them. They must wish for the same content.
   * Default: true for CustomResourceDefinitions, otherwise false.
   */
  readonly isShared?: boolean;
}

/** Whom managed objects belong to: a service object. */
export interface OwnerInfo {
  /** `namespace/name`. */
  readonly key: string;
  readonly instanceId: string;
  readonly kind: string;
  /** What may be done. Default: everything. */
  readonly allows?: ReadonlySet<ManagementAction>;
  /** The service object, which events are recorded for. Default: no events. */
  readonly object?: KubeObject;
  /**
   * What the last report said (`status.resources`). Objects of kinds that are no longer wished for at all are found only
   * by it after a restart. Default: none.
   */
  readonly resources?: readonly ResourceEntry[];
}

export type ChangeAction = 'create' | 'update' | 'delete';

/** Something that was, or would be, done to an object. */
export interface Change {
  readonly cluster: ClusterRole;
  readonly action: ChangeAction;
  readonly kind: string;
  /** Undefined for cluster-scoped objects. */
  readonly namespace: string | undefined;
  readonly name: string;
  /** Paths such as `spec.replicas`, sorted; empty unless it is an update. */
  readonly fields: readonly string[];
  /** The wish is as before: somebody else had changed or deleted the object. */
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
  /** Empty when there is nothing to say. */
  readonly message: string;
  readonly location: ResourceLocation;
}

/** `Missing`: an object is not there and must not be made. `Conflict`: an object belongs to somebody else, and nothing was done to it. */
export type ApplyReason = 'Ready' | 'Progressing' | 'Failed' | 'Conflict' | 'Missing';

/** What an apply did and found. */
export interface ApplyReport {
  readonly changes: readonly Change[];
  /** One for each wish, in its order. */
  readonly resources: readonly ResourceEntry[];
  readonly isReady: boolean;
  readonly reason: ApplyReason;
  /** One sentence about the first object that is not ready; empty when all are. */
  readonly message: string;
  /** Set when no watch can tell that it may go on: after a conflict. */
  readonly requeueAfterMs?: number;
}

/** An object of an owner, where it is. */
export interface SurveyedObject {
  readonly role: ClusterRole;
  readonly ref: ObjectRef;
  readonly object: KubeObject;
}

/** How far a removal has come. */
export interface RemovalReport {
  readonly isRemoved: boolean;
  /** What is waited for; empty when all is gone. */
  readonly message: string;
}

/** What managed objects tell of themselves. */
export interface ManagedObjectsMetrics {
  /** A deviation was undone this long after the watch told of it. */
  onDriftRepaired?(seconds: number): void;
}

export interface ManagedObjectsOptions {
  /** The field owner of everything that is applied: `provider.<provider name>`. */
  readonly fieldManager: string;
  /** The provider's name, value of the label `openmcp.cloud/managed-by`. */
  readonly provider: string;
  /** Hears the key of an owner one of whose objects was changed or deleted by somebody else: apply again. */
  onDrift(key: string): void;
  /** Hears the key of an owner one of whose objects became ready, failed, or went as asked. Default: `onDrift`. */
  onChange?(key: string): void;
  /** Events of owners that carry their object. Default: none. */
  readonly recorder?: Pick<EventRecorder, 'record'>;
  readonly logger: Logger;
  readonly metrics?: ManagedObjectsMetrics;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/**
 * Keeps objects on other clusters as they are wished for: by server-side apply with one field owner, by watches shared
 * by all owners on a cluster. Everything is found again from the clusters alone; calls for one owner do not overlap.
 */
export interface ManagedObjects extends AsyncDisposable {
  /**
   * Makes the world follow the wishes, in order, and takes away what the owner wished for before. Sends nothing when
   * nothing differs. Failures of requests reject; conflicts with other owners are reported.
   */
  apply(
    owner: OwnerInfo,
    connections: Connections,
    desired: readonly Desired[],
    signal: AbortSignal,
  ): Promise<ApplyReport>;
  /** What `apply` would do now; writes nothing. */
  plan(
    owner: OwnerInfo,
    connections: Connections,
    desired: readonly Desired[],
    signal: AbortSignal,
  ): Promise<readonly Change[]>;
  /**
   * Deletes everything of the owner, the last wish first, each when those after it are gone, namespaces at the end. Not
   * gone yet: call again when `onChange` tells the key, or after a while. A cluster without a connection counts as gone.
   */
  remove(
    owner: OwnerInfo,
    connections: Connections,
    desired: readonly Desired[],
    signal: AbortSignal,
  ): Promise<RemovalReport>;
  /** Everything of the owner as it is on the clusters now. */
  survey(
    owner: OwnerInfo,
    connections: Connections,
    desired: readonly Desired[],
    signal: AbortSignal,
  ): Promise<readonly SurveyedObject[]>;
  /** Lets go of everything of the owner: marks and field ownership go, all else stays and says whose it was. One line for each object. */
  release(
    owner: OwnerInfo,
    connections: Connections,
    desired: readonly Desired[],
    signal: AbortSignal,
  ): Promise<readonly string[]>;
  /** Ends the watches of a cluster. The next call with a connection of this id starts them again. */
  forget(connectionId: string): void;
}
