import type { CustomKind, KubeObject } from '@chandlery/api';
import type { Clock, Logger } from '@chandlery/platform';
import type { BackOffOptions, EventRecorder, WorkQueueObserver } from '@chandlery/runtime';
import type { ClusterRole, Connections } from '../objects/cluster-connection.ts';
import type { OwnerInfo } from '../objects/managed-objects.ts';

/** Where an object is. */
export interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** What `place` knows besides the source. A service context is one. */
export interface SyncContext {
  readonly provider: string;
  readonly instanceId: string;
  readonly instanceNamespace: string;
}

/** An object that belongs to one side and is shown on the other, such as the Secret of a certificate. */
export interface RelatedDefinition {
  /** Tells related objects of one definition apart. */
  readonly name: string;
  /** The side it is made on. It is shown beside the source (`workload`) or beside the copy (`mcp`). */
  readonly from: ClusterRole;
  readonly ref: {
    readonly group: string;
    readonly version: string;
    readonly plural: string;
    readonly kind: string;
  };
  /**
   * Where it is, said from the source (`mcp`) or the copy (`workload`); undefined when there is none. On the workload side
   * only objects in the copy's namespace that no provider manages are shown: specs are written by tenants.
   */
  locate(owner: KubeObject): Place | undefined;
  /** The name under which it is shown, said by the object beside which it is shown; empty: it is not. Default: its own. */
  showAs?(beside: KubeObject): string;
}

/** A kind whose objects are carried from control planes to the workload cluster: spec down, status up. */
export interface SyncDefinition {
  /** Its CRD has to be installed on both sides; until it is served, the syncer waits. */
  readonly kind: CustomKind;
  /**
   * Namespace and name of the copy; the namespace has to exist. Default: the instance namespace, and the name of the
   * source behind a hash of its namespace, shortened.
   */
  place?(source: KubeObject, context: SyncContext): Place;
  /** Default none. */
  readonly related?: readonly RelatedDefinition[];
  /** Labels and annotations of the source that go to the copy: those that begin so. Default none. */
  readonly metadataPrefixes?: readonly string[];
}

/** What the syncer tells of itself. */
export interface SyncerMetrics {
  readonly queueObserver?: WorkQueueObserver;
  /** A copy or a related object that somebody else had changed or deleted was put back. */
  onRepaired?(kind: string): void;
  /** Called at the end of each sync of an object. */
  onReconcile?(result: 'success' | 'error'): void;
}

export interface SyncerOptions {
  readonly definitions: readonly SyncDefinition[];
  readonly provider: string;
  /** Hears the key of an owner that is being disengaged and has come further: call `disengage` again. */
  readonly onChange: (key: string) => void;
  /** Events of owners that carry their object. Default: none. */
  readonly recorder?: Pick<EventRecorder, 'record'>;
  readonly logger: Logger;
  readonly metrics?: SyncerMetrics;
  /** How many objects are looked at at a time. Default 8. */
  readonly concurrency?: number;
  /** After failures. Default: 200 ms doubled up to 60 s. */
  readonly backOff?: BackOffOptions;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/** What an owner is engaged with. */
export interface Engagement {
  readonly owner: OwnerInfo;
  readonly connections: Connections;
  readonly context: SyncContext;
}

export interface DisengageOptions {
  /**
   * `Delete`: copies and related objects go, then the finalizers of the sources, which themselves stay. `Orphan`: all
   * stay, without our marks. Default `Delete`.
   */
  readonly policy?: 'Delete' | 'Orphan';
  /** Needed when this process has not engaged the owner, after a restart. */
  readonly resume?: Engagement;
}

export interface DisengageReport {
  readonly isClean: boolean;
  /** What is waited for; empty when nothing is left. */
  readonly message: string;
}

/**
 * Carries objects between the control planes of owners (sources) and workload clusters (copies). Driven by watches in both
 * directions; owners take turns; everything is found again from the clusters alone.
 */
export interface Syncer extends AsyncDisposable {
  /** Begins for an owner, or goes on with what it is given now (a new token). Never waits. Nothing without both clusters. */
  engage(owner: OwnerInfo, connections: Connections, context: SyncContext): void;
  /** Ends for an owner. Not clean yet: call again when `onChange` tells the key, or after a while. */
  disengage(key: string, signal: AbortSignal, options?: DisengageOptions): Promise<DisengageReport>;
}
