import type { FleetInstance } from '../kinds/index.ts';

/** What an instance has in its status. */
export type InstanceStatus = NonNullable<FleetInstance['status']>;

/** Fields of a status to set; undefined removes a field. */
export type StatusChanges = Readonly<Partial<InstanceStatus>>;

/** Who asks for a deletion. */
export type DeletionActor = 'user' | 'administrator' | 'expiry' | 'denied-owner' | 'object';

/** DNS names of an instance and where they lead. */
export type InstanceRoutes = NonNullable<InstanceStatus['routes']>;

/** Where an instance takes connections. */
export type InstanceEndpoints = NonNullable<InstanceStatus['endpoints']>;

/** Where an instance was placed, and what it runs there. */
export interface ClusterAssignment {
  readonly clusterId: string;
  /** All units that it occupies from now on. */
  readonly holds: readonly string[];
}

/** What the preparation of an instance made. */
export interface Preparation {
  readonly namespace: string;
  readonly host: string;
  readonly placementId: string;
  readonly secretName?: string | undefined;
  readonly ssoClientId?: string | undefined;
  readonly certificateExpiresAt?: string | undefined;
}

/** Versions of the product and of its operator. */
export type DesiredVersions = NonNullable<InstanceStatus['desired']>;

/**
 * Everything that can happen to an instance, by actor: owners and administrators over REST, workers, and the agent of the
 * data-plane cluster.
 */
export type InstanceEvent =
  | { readonly type: 'delete'; readonly by: DeletionActor }
  | { readonly type: 'admin-suspend' }
  /** `isInGrace`: its quota was lost, and it is about to expire. */
  | { readonly type: 'admin-resume'; readonly isInGrace: boolean }
  | { readonly type: 'versions-set'; readonly desired: DesiredVersions }
  | ({ readonly type: 'placed' } & ClusterAssignment)
  /** With the client that will be made for it, where the product has an identity provider. */
  | {
      readonly type: 'versions-chosen';
      readonly desired: DesiredVersions;
      readonly ssoClientId?: string | undefined;
    }
  /** A client is about to be made for it; undefined: the identity provider rejected that for good. */
  | { readonly type: 'client-named'; readonly ssoClientId: string | undefined }
  | ({ readonly type: 'prepared' } & Preparation)
  | { readonly type: 'expiry-set'; readonly expiresAt: string | undefined }
  /** Something went wrong that no retry mends, or a deadline has passed. */
  | { readonly type: 'worker-failed'; readonly reason: string }
  | { readonly type: 'dns-started'; readonly changeId: string }
  | { readonly type: 'dns-done' }
  | {
      readonly type: 'certificate-renewed';
      readonly certificateExpiresAt: string;
      readonly certificateNames: readonly string[];
    }
  /** No cluster has anything of it: no agent ever saw it, or the cluster itself no longer exists. */
  | { readonly type: 'data-plane-gone' }
  | { readonly type: 'cleaned-up' }
  | { readonly type: 'agent-ready'; readonly routes: InstanceRoutes | undefined; readonly adminUrl: string | undefined }
  | { readonly type: 'agent-installing'; readonly routes: InstanceRoutes | undefined }
  /** Routes of the agent are not in the domain of its cluster. */
  | { readonly type: 'agent-routes-rejected'; readonly problem: string }
  | { readonly type: 'agent-error'; readonly message: string }
  | { readonly type: 'agent-deleted' }
  | { readonly type: 'agent-rejected'; readonly placementId: string }
  | { readonly type: 'agent-cluster-full'; readonly keptHolds: readonly string[] }
  | { readonly type: 'agent-suspended' }
  | { readonly type: 'agent-endpoints'; readonly endpoints: InstanceEndpoints }
  | {
      readonly type: 'agent-versions';
      readonly actual: DesiredVersions | undefined;
      readonly upgrading: InstanceStatus['upgrading'];
    };

export type InstanceEventType = InstanceEvent['type'];
