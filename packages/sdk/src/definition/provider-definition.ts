import type { CustomKind } from '@chandlery/api';
import type { AccessRequest } from '@chandlery/clusters/kinds';
import type { Desired } from '../objects/managed-objects.ts';
import type { SyncDefinition } from '../sync/syncer.ts';
import type { ConfigKind, ConfigObject } from './config-kind.ts';
import type { Service, SharedContext } from './service.ts';
import type { ServiceKind, ServiceObject } from './service-kind.ts';

type TokenAccess = NonNullable<AccessRequest['spec']['token']>;
/** Rights on a cluster, as an AccessRequest asks for them. */
export type Permission = NonNullable<TokenAccess['permissions']>[number];

/** Which rights are needed on a cluster. Those for `syncs` and `blockedBy` are added by the SDK. */
export interface ClusterRequirement {
  /** Roles to be made. */
  readonly permissions: readonly Permission[];
  /** Roles that exist. Default none. */
  readonly roleRefs?: TokenAccess['roleRefs'];
}

/** A kind whose objects keep a service from being deleted. */
export interface BlockingKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
}

/** What a provider is. */
export interface ProviderDefinition<T extends ServiceObject = ServiceObject, C extends ConfigObject = ConfigObject> {
  /** The tenant's kind. */
  readonly api: ServiceKind<T>;
  /** The operator's kind. */
  readonly config: ConfigKind<C>;
  /** More kinds to install, by the label `openmcp.cloud/cluster` of their definition. Default none. */
  readonly kinds?: readonly CustomKind[];
  /** Which clusters it works on. Default none. */
  readonly clusters?: {
    /** The control plane with the object's name and namespace. */
    readonly mcp?: ClusterRequirement;
    /** A shared cluster that runs work, asked for by each object, or once by the provider. Default: by each object. */
    readonly workload?: ClusterRequirement & { readonly per?: 'object' | 'provider' };
  };
  /**
   * What should exist on the workload cluster once for all objects, as long as there is a configuration. Needs
   * `per: 'provider'`. What is no longer in the answer is deleted, and everything with the configuration, which goes after
   * the last object. Default none.
   */
  shared?(context: SharedContext<C>): readonly Desired[] | Promise<readonly Desired[]>;
  /** Fields of the spec, such as `size` or `storage.class`, that the service may choose (`Observation.chosen`). Default none. */
  readonly lateInitialized?: readonly string[];
  readonly service: Service<T, C>;
  /** Kinds whose objects are carried to the workload cluster; installed on both clusters, and block deletion. Default none. */
  readonly syncs?: readonly SyncDefinition[];
  /** Kinds on the control plane whose objects keep a service from being deleted. Default none. */
  readonly blockedBy?: readonly BlockingKind[];
}

/** Checks a definition where it is written: what `desired` and the others get follows from the kinds. */
export const defineProvider = <T extends ServiceObject, C extends ConfigObject>(
  definition: ProviderDefinition<T, C>,
): ProviderDefinition<T, C> => definition;
