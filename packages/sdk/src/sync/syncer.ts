import type { CustomKind, KubeObject } from '@chandlery/api';
import type { Clock, Logger } from '@chandlery/platform';
import type { BackOffOptions, EventRecorder, WorkQueueObserver } from '@chandlery/runtime';
import type { ClusterRole, Connections } from '../objects/cluster-connection.ts';
import type { OwnerInfo } from '../objects/managed-objects.ts';

/** Namespace and name of an object. */
export interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** What `place` gets besides the source. A service context is one. */
export interface SyncContext {
  readonly provider: string;
  readonly instanceId: string;
  readonly instanceNamespace: string;
}

/** An object that belongs to one side and is copied to the other, such as the Secret of a certificate. */
export interface RelatedDefinition {
  /** Identifies a related object of the definition. */
  readonly name: string;
  /**
   * The side of the original. The copy is put beside the source (`workload`) or beside the copy of the source (`mcp`).
   */
  readonly from: ClusterRole;
  readonly ref: {
    readonly group: string;
    readonly version: string;
    readonly plural: string;
    readonly kind: string;
  };
  /**
   * Returns the place of the original, given the source (`mcp`) or its copy (`workload`); undefined when there is none.
   * On the workload side only objects in the copy's namespace that no provider manages are copied, because tenants
   * write the specs.
   */
  locate(owner: KubeObject): Place | undefined;
  /** Returns the name of the copy, given the object beside it; empty: no copy. Default: the name of the original. */
  showAs?(beside: KubeObject): string;
}

/** A kind whose objects are synced from control planes to the workload cluster: spec down, status up. */
export interface SyncDefinition {
  /** Its CRD has to be installed on both sides; the syncer waits until it is served. */
  readonly kind: CustomKind;
  /**
   * Returns namespace and name of the copy; the namespace has to exist. Default: the instance namespace, and the
   * source's name with a hash of its namespace in front, shortened.
   */
  place?(source: KubeObject, context: SyncContext): Place;
  /** Default none. */
  readonly related?: readonly RelatedDefinition[];
  /** Prefixes of labels and annotations that are copied. Default none. */
  readonly metadataPrefixes?: readonly string[];
}

/** Callbacks for metrics. */
export interface SyncerMetrics {
  readonly queueObserver?: WorkQueueObserver;
  /** A copy or related object that another client had changed or deleted was restored. */
  onRepaired?(kind: string): void;
  /** Called at the end of each sync of an object. */
  onReconcile?(result: 'success' | 'error'): void;
}

export interface SyncerOptions {
  readonly definitions: readonly SyncDefinition[];
  readonly provider: string;
  /** Called with the key of an owner whose disengagement made progress: call `disengage` again. */
  readonly onChange: (key: string) => void;
  /** Events of owners that carry their object. Default: none. */
  readonly recorder?: Pick<EventRecorder, 'record'>;
  readonly logger: Logger;
  readonly metrics?: SyncerMetrics;
  /** The number of objects synced concurrently. Default 8. */
  readonly concurrency?: number;
  /** The back-off after failures. Default: 200 ms, doubled up to 60 s. */
  readonly backOff?: BackOffOptions;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/** An owner with its connections. */
export interface Engagement {
  readonly owner: OwnerInfo;
  readonly connections: Connections;
  readonly context: SyncContext;
}

export interface DisengageOptions {
  /**
   * `Delete`: copies and related objects are deleted, then the finalizers of the sources, which stay. `Orphan`: all
   * objects stay, without our labels. Default `Delete`.
   */
  readonly policy?: 'Delete' | 'Orphan';
  /** Required when this process has not engaged the owner, as after a restart. */
  readonly resume?: Engagement;
}

export interface DisengageReport {
  readonly isClean: boolean;
  /** What is waited for; empty when nothing is left. */
  readonly message: string;
}

/**
 * Syncs objects between the control planes of owners (sources) and workload clusters (copies). Driven by watches in
 * both directions; the queue is fair among owners; all state is recovered from the clusters.
 */
export interface Syncer extends AsyncDisposable {
  /** Starts syncing for an owner, or replaces its connections. Never waits. No effect without both clusters. */
  engage(owner: OwnerInfo, connections: Connections, context: SyncContext): void;
  /**
   * Stops syncing for an owner. When the report is not clean, call it again after `onChange` for the key, or after a
   * delay.
   */
  disengage(key: string, signal: AbortSignal, options?: DisengageOptions): Promise<DisengageReport>;
}
