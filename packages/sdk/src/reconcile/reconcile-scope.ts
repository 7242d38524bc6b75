import { ChandleryError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Tracer } from '@chandlery/platform';
import type { EventRecorder, Informer, Step, StepContext } from '@chandlery/runtime';
import type { Access } from '../access/access.ts';
import type { AccessRecords } from '../access/access-records.ts';
import type { ConfigObject } from '../definition/config-kind.ts';
import type { ProviderDefinition } from '../definition/provider-definition.ts';
import type { Observation, ServiceContext } from '../definition/service.ts';
import type { ServiceObject, ServiceStatus } from '../definition/service-kind.ts';
import { allowedActions, type ManagementAction } from '../model/management-policies.ts';
import { externalNameOf, type Identity, instanceIdOf, instanceNamespaceOf } from '../model/names.ts';
import type { ClusterConnection, ClusterRole } from '../objects/cluster-connection.ts';
import type { ApplyReport, ManagedObjects, OwnerInfo } from '../objects/managed-objects.ts';
import type { Syncer } from '../sync/syncer.ts';
import type { BlockerWatch } from './blocker-watch.ts';
import type { ConfigGuard } from './config-guard.ts';
import type { Leaving } from './leaving.ts';
import type { ProviderMetrics } from './provider-metrics.ts';
import { unavailable } from './unavailable.ts';

/** What all reconciles of a provider share. */
export interface ReconcileDeps {
  readonly definition: ProviderDefinition;
  readonly provider: string;
  readonly platform: Client;
  readonly onboarding: Client;
  readonly services: Informer<ServiceObject>;
  readonly configs: Informer<ConfigObject>;
  readonly guard: ConfigGuard;
  readonly access: Access;
  readonly records: AccessRecords;
  readonly managed: ManagedObjects;
  /** Undefined when the definition has no syncs. */
  readonly syncer: Syncer | undefined;
  readonly blockers: BlockerWatch;
  readonly leaving: Pick<Leaving, 'since' | 'providers'>;
  readonly recorder: EventRecorder;
  readonly metrics: ProviderMetrics;
  readonly tracer: Tracer;
}

/** One reconcile of one object: the dependencies of its steps, and what earlier steps have found. */
export interface ReconcileScope {
  readonly object: ServiceObject;
  readonly deps: ReconcileDeps;
  readonly step: StepContext;
  readonly identity: Identity;
  readonly connections: Partial<Record<ClusterRole, ClusterConnection>>;
  config?: ConfigObject;
  report?: ApplyReport;
  observation?: Observation;
}

/**
 * A step of a service object's reconcile: a step of the runtime, with the scope of the reconcile as its dependencies.
 */
export type ServiceStep = Step<ServiceObject, ReconcileScope>;

export function createScope(object: ServiceObject, deps: ReconcileDeps, step: StepContext): ReconcileScope {
  const { namespace = '', name = '' } = object.metadata;
  return { object, deps, step, identity: { namespace, name }, connections: {} };
}

/** The object's status, to be changed in place. */
export function statusOf({ object }: Pick<ReconcileScope, 'object'>): ServiceStatus {
  object.status ??= {};
  return object.status;
}

/** The actions that the object's policies allow. */
export const allowsOf = ({ object }: Pick<ReconcileScope, 'object'>): ReadonlySet<ManagementAction> =>
  allowedActions(object.spec.managementPolicies);

/** The owner of the managed objects. */
export const ownerOf = ({ object, identity, step }: ReconcileScope): OwnerInfo => ({
  key: step.key,
  instanceId: instanceIdOf(identity),
  kind: object.kind,
  object,
  resources: (object.status?.resources ?? []).map(entry => ({ apiGroup: '', message: '', ...entry })),
});

/** The context for the provider's functions. The configuration must have been read. */
export function contextOf(scope: ReconcileScope): ServiceContext {
  const { object, deps, step, identity, connections, config } = scope;
  if (config === undefined) throw new ChandleryError('InternalError', 'the configuration has not been read yet');
  return {
    provider: deps.provider,
    config,
    instanceId: instanceIdOf(identity),
    instanceNamespace: instanceNamespaceOf(object.kind, identity),
    externalName: externalNameOf(object),
    platform: deps.platform,
    signal: step.signal,
    now: step.now,
    logger: step.logger,
    get mcp() {
      return connections.mcp ?? unavailable('mcp');
    },
    get workload() {
      return connections.workload ?? unavailable('workload');
    },
  };
}
