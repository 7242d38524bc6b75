import type { CustomKind } from '@chandlery/api';
import type { AccessRequest } from '@chandlery/clusters/kinds';
import type { Desired } from '../objects/managed-objects.ts';
import type { SyncDefinition } from '../sync/syncer.ts';
import type { ConfigKind, ConfigObject } from './config-kind.ts';
import type { Service, SharedContext } from './service.ts';
import type { ServiceKind, ServiceObject } from './service-kind.ts';

type TokenAccess = NonNullable<AccessRequest['spec']['token']>;
/** Rights on a cluster, as an AccessRequest requests them. */
export type Permission = NonNullable<TokenAccess['permissions']>[number];

/** Rights that a provider requires on a cluster. The SDK adds those for `syncs` and `blockedBy`. */
export interface ClusterRequirement {
  /** Roles to create. */
  readonly permissions: readonly Permission[];
  /** Existing roles. Default none. */
  readonly roleRefs?: TokenAccess['roleRefs'];
}

/** A kind whose objects block the deletion of a service. */
export interface BlockingKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
}

/** The definition of a provider. */
export interface ProviderDefinition<T extends ServiceObject = ServiceObject, C extends ConfigObject = ConfigObject> {
  /** The kind that tenants order by. */
  readonly api: ServiceKind<T>;
  /** The kind of the provider's configuration. */
  readonly config: ConfigKind<C>;
  /** More kinds to install, by the label `openmcp.cloud/cluster` of their definition. Default none. */
  readonly kinds?: readonly CustomKind[];
  /** The clusters that the service uses. Default none. */
  readonly clusters?: {
    /** The control plane with the object's name and namespace. */
    readonly mcp?: ClusterRequirement;
    /**
     * A shared cluster that runs workloads, requested for each object, or once for the provider. Default: for each
     * object.
     */
    readonly workload?: ClusterRequirement & { readonly per?: 'object' | 'provider' };
  };
  /**
   * Returns the objects that exist once on the workload cluster for all service objects, while there is a
   * configuration. Requires `per: 'provider'`. Objects that are no longer returned are deleted; all are deleted with
   * the configuration, after the last service object. Default none.
   */
  shared?(context: SharedContext<C>): readonly Desired[] | Promise<readonly Desired[]>;
  /** Fields of the spec, such as `size` or `storage.class`, that the service may choose (`Observation.chosen`). Default none. */
  readonly lateInitialized?: readonly string[];
  readonly service: Service<T, C>;
  /**
   * Kinds whose objects are synced to the workload cluster. They are installed on both clusters and block deletion.
   * Default none.
   */
  readonly syncs?: readonly SyncDefinition[];
  /** Kinds on the control plane whose objects block the deletion of a service. Default none. */
  readonly blockedBy?: readonly BlockingKind[];
}

/** Type-checks a definition where it is written: the types of objects and contexts follow from the kinds. */
export const defineProvider = <T extends ServiceObject, C extends ConfigObject>(
  definition: ProviderDefinition<T, C>,
): ProviderDefinition<T, C> => definition;
