import type { Client, ResourceRef } from '@chandlery/client';
import {
  accessRequests,
  type ClusterProfile,
  clusterProfiles,
  clusterRequests,
  clusters,
} from '@chandlery/clusters/kinds';
import type { Clock, Logger } from '@chandlery/platform';
import {
  type ControllerMetrics,
  createEventRecorder,
  createInformer,
  type EventRecorder,
  type Informer,
  isTerminating,
  type SharedInformers,
  type Timers,
} from '@chandlery/runtime';
import { accessRecords, type Provider, providerNames } from '../../kinds/index.ts';
import type { Crd } from '../../model/operator/own-kinds.ts';
import type { ProviderClass } from '../../model/operator/provider-class.ts';
import { operatorLabel } from '../../model/operator/provider-names.ts';
import type { ReadPodLog } from '../../ports.ts';
import { collections, definitions } from './collections.ts';
import { DependantWatches, nameOnly } from './dependant-watches.ts';

/** What the operator is given. */
export interface OperatorOptions {
  /** The cluster where providers run; the kinds of providers and clusters are installed there. */
  readonly platform: Client;
  /** The cluster where tenants use what providers offer. */
  readonly onboarding: Client;
  /** Not disposed of by the operator. */
  readonly informers: SharedInformers;
  /** Default: failures are reported without the log. */
  readonly readPodLog?: ReadPodLog;
  /** Whether jobs and deployments of the platform cluster run. False: providers run elsewhere. Default true. */
  readonly runsPods?: boolean;
  /** Passed to every provider process. */
  readonly environment: string;
  readonly logger: Logger;
  /** Default: none. */
  readonly metrics?: ControllerMetrics;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: the process's. */
  readonly timers?: Timers;
}

/** What the operator's controllers share: caches, watches, events. */
export interface OperatorContext extends AsyncDisposable {
  readonly options: OperatorOptions;
  readonly recorder: EventRecorder;
  /** Watches objects of tenants for their existence. */
  readonly tenantWatches: DependantWatches;
  /** Watches objects of providers' own kinds, including their finalizers. */
  readonly platformWatches: DependantWatches;
  providers(providerClass: ProviderClass): Informer<Provider>;
  readonly jobs: Informer;
  readonly deployments: Informer;
  readonly pods: Informer;
  /** All other objects that the operator creates on the platform cluster. */
  readonly made: readonly Informer[];
  /** The stored definitions. */
  readonly held: Informer;
  readonly platformDefinitions: Informer<Crd>;
  readonly onboardingDefinitions: Informer<Crd>;
  /** Requests of providers, for themselves and for service objects, in all namespaces, and access records. */
  readonly requests: readonly Informer[];
  readonly profiles: Informer<ClusterProfile>;
  readonly clusters: Informer;
  readonly accessRequests: Informer;
  /** Names only. */
  readonly secrets: Informer;
  /** The leases by which providers report that they run; undefined where the landscape runs them itself. */
  readonly leases: Informer | undefined;
}

/** Creates the informers and watches of the operator. */
export function openContext(options: OperatorOptions): OperatorContext {
  const { platform, onboarding, informers, logger, runsPods = true } = options;
  const ours = (ref: ResourceRef): Informer =>
    informers.informer({ client: platform, ref, labelSelector: `${operatorLabel.key}=${operatorLabel.value}` });
  const ofProviders = (ref: ResourceRef): Informer =>
    informers.informer({ client: platform, ref, labelSelector: providerNames.managedByLabel });
  const stack = new AsyncDisposableStack();
  const onError = (error: unknown): void =>
    logger[isTerminating(error) ? 'debug' : 'warn']('cannot record an event', { error: String(error) });
  return {
    options,
    recorder: stack.use(createEventRecorder({ client: platform, component: 'chandlery-operator', onError })),
    tenantWatches: stack.use(new DependantWatches(onboarding, { hasUpdates: false })),
    platformWatches: stack.use(new DependantWatches(platform, { hasUpdates: true })),
    providers: ({ kind }) => informers.informer<Provider>({ client: platform, ref: kind.ref }),
    jobs: ours(collections.jobs),
    deployments: ours(collections.deployments),
    pods: ours(collections.pods),
    made: [
      collections.services,
      collections.serviceAccounts,
      collections.roles,
      collections.roleBindings,
      collections.clusterRoles,
      collections.clusterRoleBindings,
    ].map(ours),
    held: ours(collections.configMaps),
    platformDefinitions: ofProviders(definitions),
    onboardingDefinitions: informers.informer<Crd>({ client: onboarding, ref: definitions }),
    requests: [accessRequests, clusterRequests, accessRecords].map(({ ref }) => ofProviders(ref)),
    profiles: informers.informer<ClusterProfile>({ client: platform, ref: clusterProfiles.ref }),
    clusters: informers.informer({ client: platform, ref: clusters.ref }),
    accessRequests: informers.informer({ client: platform, ref: accessRequests.ref }),
    leases: runsPods ? undefined : ofProviders(collections.leases),
    secrets: stack.use(createInformer({ client: platform, ref: collections.secrets, transform: nameOnly })),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
