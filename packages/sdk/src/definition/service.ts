import type { JsonValue } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import type { ClusterConnection } from '../objects/cluster-connection.ts';
import type { Desired } from '../objects/managed-objects.ts';
import type { ConfigObject } from './config-kind.ts';
import type { ServiceListening, ServiceObject } from './service-kind.ts';

/** What the functions of a service get besides the object. */
export interface ServiceContext<C extends ConfigObject = ConfigObject> {
  /** The provider's name. */
  readonly provider: string;
  readonly config: C;
  /** Eight letters and digits, derived from the object's namespace and name. */
  readonly instanceId: string;
  /**
   * The name of the external resource: the annotation `openmcp.cloud/external-name`, by which an existing service is
   * imported, or else the object's name.
   */
  readonly externalName: string;
  /** `<kind in lower case>-<instance id>`: a namespace for the instance alone on a shared cluster. */
  readonly instanceNamespace: string;
  /** Throws `ClusterUnavailable` when the definition does not require it, or when it is deleted. */
  readonly mcp: ClusterConnection;
  /** Throws `ClusterUnavailable` when the definition does not require it, or when it is deleted. */
  readonly workload: ClusterConnection;
  /** Has the provider's own rights. */
  readonly platform: Client;
  /** Pass it on to everything that waits. */
  readonly signal: AbortSignal;
  /** The start of the reconcile. */
  readonly now: Date;
  readonly logger: Logger;
}

/** The context when there is no service object: for what a provider has once for all objects. */
export type SharedContext<C extends ConfigObject = ConfigObject> = Omit<
  ServiceContext<C>,
  'instanceId' | 'instanceNamespace' | 'externalName' | 'mcp'
>;

/** The observed state of the external resource. */
export interface Observation {
  readonly exists: boolean;
  /** Differences from the desired state, one sentence each; empty when there are none. */
  readonly differences: readonly string[];
  readonly isReady: boolean;
  readonly message?: string;
  /**
   * Becomes the Secret `<kind in lower case>-<name>-connection` beside the object. Default: no Secret; while the
   * service is not ready, an existing one stays.
   */
  readonly connection?: Readonly<Record<string, string>>;
  /**
   * Where the service takes connections: it becomes `status.listens` of the object, and the instance a service of
   * meshes. Default: nowhere; while the service is not ready, what was reported stays.
   */
  readonly listens?: ServiceListening;
  /**
   * Values that the service chose for fields of the spec, by path. Those that the definition declares
   * (`lateInitialized`) and the tenant left open are written back. Default: none.
   */
  readonly chosen?: Readonly<Record<string, JsonValue>>;
  /** Reconciles again after this time without a change. Default: `spec.pollInterval` of the configuration. */
  readonly requeueAfterMs?: number;
}

/** An operation that has not completed. */
export interface Waiting {
  readonly retryAfterMs: number;
  readonly message: string;
}

/** The functions of a provider for its objects. Each is optional and idempotent: it may be called again at any time. */
export interface Service<T extends ServiceObject = ServiceObject, C extends ConfigObject = ConfigObject> {
  /**
   * Returns the objects that should exist on the clusters. Pure. They are applied in order with one field owner, kept
   * by watches, and deleted in reverse order. Throws `userError` for a spec that cannot be fulfilled.
   */
  desired?(object: T, context: ServiceContext<C>): readonly Desired[];
  /** Reads the external resource, without changing it. */
  observe?(object: T, context: ServiceContext<C>): Promise<Observation>;
  /**
   * Creates or updates the external resource. Called when it does not exist or differs; may be called again after a
   * crash.
   */
  createOrUpdate?(object: T, context: ServiceContext<C>, observation: Observation): Promise<void>;
  /** Deletes the external resource, for the policy Delete. Called again when it throws or returns `Waiting`. */
  delete?(object: T, context: ServiceContext<C>): Promise<void | Waiting>;
  /**
   * Removes ownership labels and deletes nothing, for the policy Orphan. The lines that it returns go into the receipt.
   */
  release?(object: T, context: ServiceContext<C>): Promise<readonly string[]>;
}
