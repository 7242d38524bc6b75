import type { Client } from '@chandlery/client';
import { type Clock, type Logger, type MetricsRegistry, silentTracer, type Tracer } from '@chandlery/platform';
import { createEventRecorder, keyOf, type SharedInformers } from '@chandlery/runtime';
import { Access } from '../access/access.ts';
import { AccessRecords } from '../access/access-records.ts';
import { ConnectionPool } from '../access/connection-pool.ts';
import type { ConfigObject } from '../definition/config-kind.ts';
import type { ProviderDefinition } from '../definition/provider-definition.ts';
import type { ServiceObject } from '../definition/service-kind.ts';
import { fieldManagerOf } from '../model/names.ts';
import { createManagedObjects } from '../objects/create-managed-objects.ts';
import { createSyncer } from '../sync/create-syncer.ts';
import { BlockerWatch } from './blocker-watch.ts';
import { byConfig, ConfigGuard } from './config-guard.ts';
import { Leaving } from './leaving.ts';
import { createProviderMetrics } from './provider-metrics.ts';
import type { ReconcileDeps } from './reconcile-scope.ts';
import { byTenantNamespace } from './reconcile-sources.ts';

export interface DepsOptions {
  readonly provider: string;
  readonly platform: Client;
  readonly onboarding: Client;
  readonly connect: ((kubeconfig: string) => Client) | undefined;
  readonly informers: SharedInformers;
  readonly registry: MetricsRegistry;
  /** Default: nothing is traced. */
  readonly tracer?: Tracer | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Enqueues an object. */
  readonly enqueue: (key: string) => void;
}

/** Creates the dependencies of reconciles; `stack` disposes of them. */
export function createDeps(
  definition: ProviderDefinition,
  options: DepsOptions,
  stack: AsyncDisposableStack,
): ReconcileDeps {
  const { provider, platform, onboarding, connect, informers, registry, logger, clock, enqueue } = options;
  const ref = definition.api.ref;
  const services = informers.informer<ServiceObject>({
    client: onboarding,
    ref,
    indexes: { ...byTenantNamespace, ...byConfig(provider) },
  });
  const configs = informers.informer<ConfigObject>({ client: platform, ref: definition.config.ref });
  const pool = stack.use(new ConnectionPool({ platform, logger, clock, ...(connect && { connect }) }));
  const recorder = stack.use(createEventRecorder({ client: onboarding, component: provider, clock }));
  const metrics = createProviderMetrics(registry);
  const shared = { provider, onChange: enqueue, recorder, logger, clock };
  const onDriftRepaired = (seconds: number): void => metrics.driftRepair.with({}).observe(seconds);
  const objects = { ...shared, fieldManager: fieldManagerOf(provider), onDrift: enqueue, metrics: { onDriftRepaired } };
  const definitions = definition.syncs ?? [];
  const onRepaired = (kind: string): void => metrics.drift.with({ kind }).inc();
  const carrying = { ...shared, definitions, metrics: { onRepaired } };
  return {
    definition,
    provider,
    platform,
    onboarding,
    services,
    configs,
    recorder,
    metrics,
    tracer: options.tracer ?? silentTracer,
    access: new Access({ provider, platform, informers, pool }),
    records: stack.use(new AccessRecords({ provider, platform, logger })),
    managed: stack.use(createManagedObjects(objects)),
    syncer: definitions.length === 0 ? undefined : stack.use(createSyncer(carrying)),
    guard: stack.use(
      new ConfigGuard({ platform, kind: definition.config, provider, configs, services, logger, clock }),
    ),
    blockers: stack.use(new BlockerWatch(enqueue)),
    leaving: stack.use(
      new Leaving({ provider, platform, informers, onLeaving: () => services.list().map(keyOf).forEach(enqueue) }),
    ),
  };
}
