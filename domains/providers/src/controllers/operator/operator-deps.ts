import type { KubeObject } from '@chandlery/api';
import type { DesiredObject, ObjectEvent } from '@chandlery/runtime';
import type { Provider } from '../../kinds/index.ts';
import type { HeldDefinition } from '../../model/operator/held-definitions.ts';
import type { Crd } from '../../model/operator/own-kinds.ts';
import type { ProviderClass } from '../../model/operator/provider-class.ts';
import type { Remaining } from '../../model/operator/remaining.ts';

/** What the steps of the operator need from the world. */
export interface OperatorDeps extends InitDeps, ApiDeps, RunDeps, RemovalDeps {
  readonly providerClass: ProviderClass;
  /** False: nothing on the platform cluster runs jobs and deployments. */
  readonly runsPods: boolean;
  /** Handed to every provider process. */
  readonly environment: string;
  /** Server-side applies to the platform cluster and answers what is there now. */
  apply(objects: readonly DesiredObject[]): Promise<readonly KubeObject[]>;
  record(provider: Provider, event: ObjectEvent): void;
  /** The older provider of the same name among those of other kinds. Such a provider is never installed. */
  readonly findElder: (provider: Provider) => Provider | undefined;
}

export interface InitDeps {
  /** As the cache shows it. */
  findJob(provider: Provider): KubeObject | undefined;
  /** Rejects with `AlreadyExists` when somebody else's job has the name; the provider's own is fine. */
  createJob(provider: Provider, job: KubeObject): Promise<void>;
  /** Asks for the end of the job that the cache shows; it stays until its pods are gone. */
  removeJob(provider: Provider): Promise<void>;
  /** Why the job's newest pod does not get to run; undefined when nothing keeps it. */
  findInitObstacle(provider: Provider): string | undefined;
  /** The end of the log of the pod that failed last; undefined when there is none or it cannot be read. */
  readInitLog(provider: Provider): Promise<string | undefined>;
}

export interface ApiDeps {
  /** What is remembered of the provider's definitions, as the cache shows it. */
  heldDefinitions(provider: Provider): readonly HeldDefinition[];
  /** Remembers all definitions of the provider as the servers have them now, as left by this run of init. */
  holdDefinitions(provider: Provider, init: string): Promise<void>;
  /** A definition as it is now: as the cache shows it if that is as it should be, otherwise as the server does. */
  findDefinition(held: HeldDefinition): Promise<Crd | undefined>;
  /** Stores the definition as it was in place of the live one, or of none. */
  putBack(held: HeldDefinition, live: Crd | undefined): Promise<void>;
}

export interface RunDeps {
  hasWebhookTls(provider: Provider): boolean;
  hasDeployment(provider: Provider): boolean;
  removeMetricsService(provider: Provider): Promise<void>;
  /** The configuration of the provider's name, if the provider has such a kind: an object of its own on the platform. */
  findConfigs(provider: Provider): Promise<readonly KubeObject[]>;
  /** Requests of the provider in all namespaces, as the cache shows them. */
  ownRequests(provider: Provider): readonly KubeObject[];
  /** Has the provider looked at again when objects of its own kinds on the platform cluster change. */
  followConfigs(provider: Provider): void;
  /** Of the platform cluster, as the cache shows them. */
  platformDefinitions(): readonly Crd[];
  /** Of the onboarding cluster, as the cache shows them. */
  onboardingDefinitions(): readonly Crd[];
}

/** All of these ask the servers, not caches. Removals answer what is still there; they may be called again and again. */
export interface RemovalDeps {
  /** What cannot be served or deleted any more once the provider is gone. */
  listDependants(provider: Provider): Promise<readonly Remaining[]>;
  /** Once no tenant needs it, begins to delete objects of its own kinds that only it can let go, as its configuration. */
  endOwnObjects(provider: Provider): Promise<void>;
  /** Has the provider looked at again when what depends on it changes, until told otherwise. */
  followDependants(provider: Provider): void;
  unfollowDependants(provider: Provider): void;
  /** And once nothing runs any more: the ways of making clusters that a cluster provider offers. */
  removeRun(provider: Provider): Promise<readonly string[]>;
  removeApi(provider: Provider): Promise<readonly string[]>;
  removeRequests(provider: Provider): Promise<readonly string[]>;
  removeRest(provider: Provider): Promise<readonly string[]>;
}
