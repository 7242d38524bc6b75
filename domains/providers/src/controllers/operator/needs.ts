import type { KubeObject } from '@chandlery/api';
import type { DesiredObject, ObjectEvent } from '@chandlery/runtime';
import type { Provider } from '../../kinds/index.ts';
import type { Crd } from '../../model/operator/own-kinds.ts';
import type { ProviderClass } from '../../model/operator/provider-class.ts';
import type { Remaining } from '../../model/operator/remaining.ts';

/** What the steps of the operator need from the world. */
export interface OperatorNeeds extends InitNeeds, RunNeeds, RemovalNeeds {
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

export interface InitNeeds {
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

export interface RunNeeds {
  hasWebhookTls(provider: Provider): boolean;
  hasDeployment(provider: Provider): boolean;
  removeMetricsService(provider: Provider): Promise<void>;
  /** Of the platform cluster, as the cache shows them. */
  platformDefinitions(): readonly Crd[];
  /** Of the onboarding cluster, as the cache shows them. */
  onboardingDefinitions(): readonly Crd[];
}

/** All of these ask the servers, not caches. Removals answer what is still there; they may be called again and again. */
export interface RemovalNeeds {
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
