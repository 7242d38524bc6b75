import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { type Clock, type Logger, MetricsRegistry, silentLogger, systemClock, type Tracer } from '@chandlery/platform';
import { providerNames } from '@chandlery/providers/kinds';
import {
  type BackOffOptions,
  type Controller,
  type ControllerOptions,
  createController,
  createControllerMetrics,
  hasPausedAnnotation,
  isDeleting,
  keyOf,
  parseKey,
  type RateLimit,
  SharedInformers,
} from '@chandlery/runtime';
import type { ProviderDefinition } from '../definition/provider-definition.ts';
import type { ServiceObject } from '../definition/service-kind.ts';
import { locateFaults } from '../model/locate-faults.ts';
import { sharedKeyOf } from '../model/names.ts';
import { createSharedController } from '../shared/shared-controller.ts';
import { Sweeper } from '../sweep/sweeper.ts';
import { createDeps } from './create-deps.ts';
import { countObjects } from './provider-metrics.ts';
import { createScope, type ReconcileDeps, type ReconcileScope } from './reconcile-scope.ts';
import { onConfigChange, requestSources } from './reconcile-sources.ts';
import { reportEnd } from './run-service-steps.ts';
import { deletionSteps, serviceSteps } from './service-steps.ts';

export interface ReconcilerOptions {
  /** The provider's name. */
  readonly provider: string;
  /** Has the provider's own rights. Not disposed of. */
  readonly platform: Client;
  /** Not disposed of. */
  readonly onboarding: Client;
  /** How kubeconfigs become clients. Default: over the network. */
  readonly connect?: (kubeconfig: string) => Client;
  /** Default: a private registry. */
  readonly registry?: MetricsRegistry;
  /** Default: nothing is traced. */
  readonly tracer?: Tracer | undefined;
  /** Default: silent. */
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** The number of concurrent reconciles. Default 8. */
  readonly concurrency?: number;
  /** The rate of reconciles over all objects. Default: unlimited. */
  readonly rateLimit?: RateLimit;
  /** The back-off after failures. Default: 5 ms, doubled each time up to 1,000 s. */
  readonly backOff?: BackOffOptions;
}

/** A running provider. */
export interface Reconciler extends AsyncDisposable {
  /** Resolves when all informers are synced. */
  readonly synced: Promise<void>;
  /** Whether all informers are synced, for probes. */
  readonly isSynced: boolean;
}

/** Starts to reconcile the objects of a provider. Disposing of it waits for reconciles in progress. */
export function startReconciler(provided: ProviderDefinition, options: ReconcilerOptions): Reconciler {
  const definition = locateFaults(provided);
  const { registry = new MetricsRegistry(), logger = silentLogger, clock = systemClock, connect } = options;
  const stack = new AsyncDisposableStack();
  const onError = (error: Error): void => logger.debug('a watch failed', { error });
  const informers = stack.use(new SharedInformers({ clock, onError }));
  const sharedKey = sharedKeyOf(options.provider);
  const enqueue = (key: string): void => {
    if (key === sharedKey) return shared?.enqueue(options.provider);
    controller.enqueue(key);
    sweeper.poke(key);
  };
  const deps = createDeps(definition, { ...options, connect, informers, registry, logger, clock, enqueue }, stack);
  const { services, configs } = deps;
  const metrics = createControllerMetrics(registry, options.tracer);
  const measured = { metrics, logger, clock };
  const controller: Controller = stack.use(
    createController({ ...controllerOptions(definition, deps), ...measured, ...pick(options) }),
  );
  const sweeper = stack.use(new Sweeper(deps, { logger, clock, synced: () => informers.synced() }));
  const shared = createSharedController(deps, measured);
  if (shared !== undefined) stack.use(shared).start();
  countObjects(registry, deps.metrics, services);
  // The configuration with the provider's name governs what all objects share, whichever one an object refers to.
  const isOfAll = (name: string): boolean => definition.shared !== undefined && name === options.provider;
  const usersOf = (name: string) => (isOfAll(name) ? services.list() : services.byIndex('config', name));
  stack.defer(onConfigChange(configs, name => usersOf(name).map(keyOf).forEach(enqueue)));
  controller.start();
  sweeper.start();
  return watchedReconciler(informers, stack);
}

const pick = ({
  concurrency,
  rateLimit,
  backOff,
}: ReconcilerOptions): Pick<ReconcilerOptions, 'concurrency' | 'rateLimit' | 'backOff'> => ({
  ...(concurrency === undefined ? {} : { concurrency }),
  ...(rateLimit === undefined ? {} : { rateLimit }),
  ...(backOff === undefined ? {} : { backOff }),
});

function controllerOptions(
  { api }: ProviderDefinition,
  deps: ReconcileDeps,
): ControllerOptions<ServiceObject, ReconcileScope> {
  const { access, services, configs, onboarding: client } = deps;
  return {
    name: `${deps.provider}-${api.plural}`,
    client,
    for: { ref: api.ref, informer: services },
    // Reconciles wait for the first list of configurations; `onConfigChange` maps their changes.
    watches: [
      ...requestSources(access, services),
      { informer: configs, mapToKeys: () => [] },
      { informer: deps.leaving.providers, mapToKeys: () => [] },
    ],
    steps: serviceSteps,
    onDelete: deletionSteps,
    finalizer: `${api.group}/finalizer`,
    needs: (object, step) => createScope(object, deps, step),
    onEnd: reportEnd,
    isPaused,
    tenantOf: key => parseKey(key).namespace ?? '',
    concurrency: 8,
  };
}

function watchedReconciler(informers: SharedInformers, stack: AsyncDisposableStack): Reconciler {
  let isSynced = false;
  const synced = informers.synced().then(() => {
    isSynced = true;
  });
  // Callers may ignore the promise.
  synced.catch(() => undefined);
  return {
    synced,
    get isSynced() {
      return isSynced;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Whether an object is paused, by our own annotation, by the landscape's, or by its policies. */
const isPaused = (object: KubeObject): boolean =>
  object.metadata.annotations?.[providerNames.operationAnnotation] === 'ignore' ||
  hasPausedAnnotation(object) ||
  isPausedByPolicy(object);

/** An empty list of policies pauses an object, but does not block its deletion. */
const isPausedByPolicy = (object: KubeObject): boolean =>
  !isDeleting(object) && (object as ServiceObject).spec.managementPolicies?.length === 0;
