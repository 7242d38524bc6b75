import type { JsonObject } from '@chandlery/api';

/** A user and a password for one broker. */
export interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

/** A broker of the service manager. */
export interface ManagedBroker {
  readonly id: string;
  readonly name: string;
  /** Where the real broker is. */
  readonly url: string;
}

/** A plan of the service manager. */
export interface ManagedPlan {
  readonly id: string;
  readonly catalogId: string;
  readonly brokerId: string;
}

/** A visibility of the service manager: who may use a plan. */
export interface ManagedVisibility {
  readonly planId: string;
  /** Empty: every platform. */
  readonly platformId: string;
  readonly labels: Readonly<Record<string, readonly string[]>>;
}

/** Credentials that the service manager is to know. It never sees the password. */
export interface CredentialsRequest {
  readonly brokerId: string;
  readonly username: string;
  readonly passwordHash: string;
  /** Replaces such that are in use. */
  readonly isForced: boolean;
}

/** What a proxy asks the service manager for. All calls reject with `ChandleryError`. */
export interface ServiceManager {
  /** Only those that are ready. */
  listBrokers(): Promise<readonly ManagedBroker[]>;
  /** Undefined when there is none that this platform may use. */
  findBroker(id: string): Promise<ManagedBroker | undefined>;
  /** Default: the plans of all brokers; of these brokers all plans, or those of `planIds` that there are. */
  listPlans(brokerIds?: readonly string[], planIds?: readonly string[]): Promise<readonly ManagedPlan[]>;
  /** Default: of all plans. */
  listVisibilities(planIds?: readonly string[]): Promise<readonly ManagedVisibility[]>;
  /** Answers the id by which they are activated. */
  putCredentials(wish: CredentialsRequest): Promise<string>;
  activateCredentials(id: string): Promise<void>;
}

/** A broker as it is registered at the platform. */
export interface PlatformBroker {
  /** The platform's own id for it. */
  readonly id: string;
  readonly name: string;
  readonly url: string;
}

/** How a broker is to be registered at the platform. */
export interface BrokerRegistration {
  /** The id at the service manager. */
  readonly brokerId: string;
  readonly name: string;
  readonly url: string;
  /** Undefined: those that the platform has stay as they are. */
  readonly credentials?: BasicCredentials | undefined;
}

/** A plan at the platform: plan ids are unique within a broker only. */
export interface PlatformPlanRef {
  readonly brokerName: string;
  readonly catalogPlanId: string;
}

/** Who may use a plan at the platform: all users, or those of the scopes (organizations). No scope means no access. */
export interface PlanAccess extends PlatformPlanRef {
  readonly isPublic: boolean;
  readonly scopes: readonly string[];
}

/** How the access to a plan is to change. */
export interface AccessChange {
  readonly from: PlanAccess;
  readonly to: PlanAccess;
}

/**
 * A platform that consumes services for its users. Every call may be repeated; all reject with `ChandleryError`.
 */
export interface PlatformAdapter extends AsyncDisposable {
  /** Such as `kubernetes`; names it in logs. */
  readonly type: string;
  /**
   * The label by which visibilities are narrowed to parts of the platform. Undefined: the platform gives access by what is
   * in the catalog, so that a change of visibility is a change of catalog.
   */
  readonly scopeLabel: string | undefined;
  /** The name as the platform can take it. */
  platformName(name: string): string;
  listBrokers(): Promise<readonly PlatformBroker[]>;
  createBroker(registration: BrokerRegistration & { readonly credentials: BasicCredentials }): Promise<void>;
  /** Changes name, URL, credentials, and has the platform fetch the catalog. */
  updateBroker(broker: PlatformBroker, registration: BrokerRegistration): Promise<void>;
  /** Has the platform fetch the catalog. */
  refetchCatalog(broker: PlatformBroker): Promise<void>;
  /** Does nothing when the broker does not exist. */
  deleteBroker(broker: PlatformBroker, brokerId: string): Promise<void>;
  /** What still uses a broker, by name. Empty where the platform itself rejects the deletion of such a broker. */
  listUsers(broker: PlatformBroker): Promise<readonly string[]>;
  /**
   * Records that the service manager has removed the platform, and with it what was ordered from these brokers: users can
   * delete it without a broker. Does nothing where the platform leaves that to its operator.
   */
  abandonOrders(brokers: readonly PlatformBroker[]): Promise<void>;
  /** The plans of these brokers and who may use them; plans that the platform does not know are left out. */
  listAccess(brokers: readonly PlatformBroker[], catalogPlanIds?: readonly string[]): Promise<readonly PlanAccess[]>;
  /** Of these scopes those that the platform has: access is given to no others. */
  knownScopes(scopes: readonly string[]): Promise<readonly string[]>;
  /** Only for plans that {@link listAccess} has returned before, and scopes that the platform has. */
  changeAccess(change: AccessChange): Promise<void>;
}

/** A notification of the service manager. */
export interface NotificationMessage {
  readonly id: string;
  readonly resource: string;
  readonly type: string;
  readonly revision: number;
  readonly payload: JsonObject;
}
