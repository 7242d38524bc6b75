import type { JsonValue } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import type { ClusterConnection } from '../objects/cluster-connection.ts';
import type { Desired } from '../objects/managed-objects.ts';
import type { ConfigObject } from './config-kind.ts';
import type { ServiceObject } from './service-kind.ts';

/** What a service knows besides its object. */
export interface ServiceContext<C extends ConfigObject = ConfigObject> {
  /** The provider's name. */
  readonly provider: string;
  readonly config: C;
  /** Eight letters and digits made of the object's namespace and name. */
  readonly instanceId: string;
  /**
   * What the service is called beyond the clusters: the annotation `openmcp.cloud/external-name`, by which a service that
   * exists is imported, or else the object's name.
   */
  readonly externalName: string;
  /** `<kind in lower case>-<instance id>`: a namespace of the instance's own on a cluster that is shared. */
  readonly instanceNamespace: string;
  /** Throws `ClusterUnavailable` when the definition does not wish for it, or when it is gone. */
  readonly mcp: ClusterConnection;
  /** Throws `ClusterUnavailable` when the definition does not wish for it, or when it is gone. */
  readonly workload: ClusterConnection;
  /** With the provider's own rights. */
  readonly platform: Client;
  /** Hand it on to everything that waits. */
  readonly signal: AbortSignal;
  /** When the pass began. */
  readonly now: Date;
  readonly logger: Logger;
}

/** What is known when there is no object yet: for what a provider has once for all of them. */
export type SharedContext<C extends ConfigObject = ConfigObject> = Omit<
  ServiceContext<C>,
  'instanceId' | 'instanceNamespace' | 'externalName' | 'mcp'
>;

/** What a look at the world beyond the clusters showed. */
export interface Observation {
  readonly exists: boolean;
  /** What differs from the wish, one sentence each; empty when it is as it should be. */
  readonly differences: readonly string[];
  readonly isReady: boolean;
  readonly message?: string;
  /**
   * Becomes the Secret `<kind in lower case>-<name>-connection` beside the object. Default: there is none; while it is
   * not ready, the one that there is stays.
   */
  readonly connection?: Readonly<Record<string, string>>;
  /**
   * What the service chose for fields of the spec, by path. Those that the definition declares (`lateInitialized`) and the
   * tenant left open are written back. Default: nothing.
   */
  readonly chosen?: Readonly<Record<string, JsonValue>>;
  /** Looks again after this time although nothing changed. Default: `spec.pollInterval` of the configuration. */
  readonly requeueAfterMs?: number;
}

/** Says that something is not over yet. */
export interface Waiting {
  readonly retryAfterMs: number;
  readonly message: string;
}

/** What a provider does for its objects. Every part is optional, and every part may be called again at any time. */
export interface Service<T extends ServiceObject = ServiceObject, C extends ConfigObject = ConfigObject> {
  /**
   * What should exist on the clusters. Pure: same input, same answer. Applied in order with one field owner, kept so by
   * watches, deleted in reverse. Throws `userError` for a wish that cannot be fulfilled.
   */
  desired?(object: T, context: ServiceContext<C>): readonly Desired[];
  /** Looks at the world beyond the clusters and changes nothing. */
  observe?(object: T, context: ServiceContext<C>): Promise<Observation>;
  /** Makes it so. Called when nothing exists or something differs; may be called again after a crash in the middle. */
  createOrUpdate?(object: T, context: ServiceContext<C>, observation: Observation): Promise<void>;
  /** Takes it away, for the policy Delete. Asked again when it throws or has to wait. */
  delete?(object: T, context: ServiceContext<C>): Promise<void | Waiting>;
  /** Takes ownership marks off and deletes nothing, for the policy Orphan. Its answers stand in the receipt. */
  release?(object: T, context: ServiceContext<C>): Promise<readonly string[]>;
}
