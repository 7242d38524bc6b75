import type { KubeObject } from '@chandlery/api';
import type { DesiredObject, ObjectEvent } from '@chandlery/runtime';
import type { Provider } from '../../kinds/index.ts';
import type { HeldDefinition } from '../../model/operator/held-definitions.ts';
import type { Crd } from '../../model/operator/own-kinds.ts';
import type { ProviderClass } from '../../model/operator/provider-class.ts';
import type { Remaining } from '../../model/operator/remaining.ts';

/** The dependencies of the operator's steps. */
export interface OperatorDeps extends InitDeps, ApiDeps, RunDeps, RemovalDeps {
  readonly providerClass: ProviderClass;
  /** False: nothing on the platform cluster runs jobs and deployments. */
  readonly runsPods: boolean;
  /** Passed to every provider process. */
  readonly environment: string;
  /** Server-side applies to the platform cluster and returns the stored objects. */
  apply(objects: readonly DesiredObject[]): Promise<readonly KubeObject[]>;
  record(provider: Provider, event: ObjectEvent): void;
  /** The older provider of the same name among those of other kinds. The younger one is never installed. */
  readonly findElder: (provider: Provider) => Provider | undefined;
}

export interface InitDeps {
  /** From the cache. */
  findJob(provider: Provider): KubeObject | undefined;
  /** Rejects with `AlreadyExists` when a job of another owner has the name; the provider's own job is no error. */
  createJob(provider: Provider, job: KubeObject): Promise<void>;
  /** Deletes the job that the cache has; it stays until its pods are deleted. */
  removeJob(provider: Provider): Promise<void>;
  /** Why the job's newest pod does not run; undefined when nothing blocks it. */
  findInitObstacle(provider: Provider): string | undefined;
  /** The end of the log of the pod that failed last; undefined when there is none or it cannot be read. */
  readInitLog(provider: Provider): Promise<string | undefined>;
}

export interface ApiDeps {
  /** The stored definitions of the provider, from the cache. */
  heldDefinitions(provider: Provider): readonly HeldDefinition[];
  /** Stores all definitions of the provider as the servers have them now, for this run of init. */
  holdDefinitions(provider: Provider, init: string): Promise<void>;
  /** The live definition: from the cache if it is as expected, otherwise from the server. */
  findDefinition(held: HeldDefinition): Promise<Crd | undefined>;
  /** Restores the stored definition in place of the live one, or of none. */
  putBack(held: HeldDefinition, live: Crd | undefined): Promise<void>;
}

export interface RunDeps {
  /** Why the newest pod of the run part does not run; undefined when nothing blocks it. */
  findRunObstacle(provider: Provider): string | undefined;
  /** The lease by which a provider outside of the landscape reports that it runs, from the cache. */
  findLiveness(provider: Provider): KubeObject | undefined;
  hasWebhookTls(provider: Provider): boolean;
  hasDeployment(provider: Provider): boolean;
  removeMetricsService(provider: Provider): Promise<void>;
  /** The configuration of the provider's name, if the provider has such a kind: an object of its own on the platform. */
  findConfigs(provider: Provider): Promise<readonly KubeObject[]>;
  /** Requests of the provider in all namespaces, from the cache. */
  ownRequests(provider: Provider): readonly KubeObject[];
  /** Enqueues the provider when objects of its own kinds on the platform cluster change. */
  followConfigs(provider: Provider): void;
  /** The definitions of the platform cluster, from the cache. */
  platformDefinitions(): readonly Crd[];
  /** The definitions of the onboarding cluster, from the cache. */
  onboardingDefinitions(): readonly Crd[];
}

/** The dependencies of the removal steps. All reads are live. Removals are idempotent and return what still exists. */
export interface RemovalDeps {
  /** Lists what cannot be served or deleted any more without the provider. */
  listDependants(provider: Provider): Promise<readonly Remaining[]>;
  /**
   * When no tenant uses the provider, deletes objects of its own kinds that have finalizers of the provider, such as
   * its configuration.
   */
  endOwnObjects(provider: Provider): Promise<void>;
  /** Enqueues the provider when its dependants change, until `unfollowDependants`. */
  followDependants(provider: Provider): void;
  unfollowDependants(provider: Provider): void;
  /** Removes the run part; after it, the ClusterProfiles of a cluster provider. */
  removeRun(provider: Provider): Promise<readonly string[]>;
  removeApi(provider: Provider): Promise<readonly string[]>;
  removeRequests(provider: Provider): Promise<readonly string[]>;
  removeRest(provider: Provider): Promise<readonly string[]>;
}
