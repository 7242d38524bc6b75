import type { Client } from '@chandlery/client';
import { type Logger, silentLogger } from '@chandlery/platform';
import type { ConfigObject } from '../definition/config-kind.ts';
import type { ProviderDefinition } from '../definition/provider-definition.ts';
import type { ServiceContext } from '../definition/service.ts';
import type { ServiceObject } from '../definition/service-kind.ts';
import { desiredOf } from '../model/desired-objects.ts';
import { locateFaults } from '../model/locate-faults.ts';
import { externalNameOf, fieldManagerOf, instanceIdOf, instanceNamespaceOf } from '../model/names.ts';
import type { ClusterRole, Connections } from '../objects/cluster-connection.ts';
import { createManagedObjects } from '../objects/create-managed-objects.ts';
import type { Change, Desired, OwnerInfo } from '../objects/managed-objects.ts';
import { unavailable } from '../reconcile/unavailable.ts';

export interface PlanOptions<C extends ConfigObject = ConfigObject> {
  /** The provider's name. */
  readonly provider: string;
  readonly config: C;
  readonly platform: Client;
  /** The clusters that the object has access to already. */
  readonly connections: Connections;
  readonly signal?: AbortSignal;
  /** Default: now. */
  readonly now?: Date;
  /** Default: silent. */
  readonly logger?: Logger;
}

/** A change that a reconcile would make. */
export interface PlannedChange {
  /** `service`: the external resource. */
  readonly where: ClusterRole | 'service';
  readonly action: Change['action'];
  /** The kind and name, or a sentence about the service. */
  readonly what: string;
  /** The fields of the object that would change. */
  readonly fields: readonly string[];
}

/** Returns what a reconcile of the object would change, without changing it. Throws what the reconcile would throw. */
export async function planObject<T extends ServiceObject, C extends ConfigObject>(
  provided: ProviderDefinition<T, C>,
  object: T,
  options: PlanOptions<C>,
): Promise<readonly PlannedChange[]> {
  const definition = locateFaults(provided);
  const { provider, connections, signal = new AbortController().signal, logger = silentLogger } = options;
  const context = contextFor(definition, object, { ...options, signal, logger });
  const desired = desiredOf(definition, object, context);
  const [reachable, unreachable] = split(desired, connections);
  await using managed = createManagedObjects({
    fieldManager: fieldManagerOf(provider),
    provider,
    onDrift: () => undefined,
    logger,
  });
  const changes = await managed.plan(ownerFor(object, context), connections, reachable, signal);
  const world = await planExternal(definition, object, context);
  return [...unreachable.map(asCreation), ...changes.map(asPlanned), ...world];
}

/** A cluster that was not requested yet counts as empty. */
function split(desired: readonly Desired[], connections: Connections): [readonly Desired[], readonly Desired[]] {
  const isReachable = ({ cluster }: Desired): boolean => connections[cluster] !== undefined;
  return [desired.filter(isReachable), desired.filter(desired => !isReachable(desired))];
}

async function planExternal<T extends ServiceObject, C extends ConfigObject>(
  { service, api }: ProviderDefinition<T, C>,
  object: T,
  context: ServiceContext<C>,
): Promise<readonly PlannedChange[]> {
  const observation = await service.observe?.(object, context);
  if (observation === undefined) return [];
  const { exists, differences } = observation;
  const what = (text: string): PlannedChange => ({
    where: 'service',
    action: exists ? 'update' : 'create',
    what: text,
    fields: [],
  });
  if (!exists && differences.length === 0) return [what(`${api.kind} "${object.metadata.name}" does not exist yet.`)];
  return differences.map(what);
}

const asPlanned = ({ cluster, action, kind, namespace, name, fields }: Change): PlannedChange => ({
  where: cluster,
  action,
  what: describe(kind, namespace, name),
  fields,
});

const asCreation = ({ cluster, object: { kind, metadata } }: Desired): PlannedChange => ({
  where: cluster,
  action: 'create',
  what: describe(kind, metadata.namespace, metadata.name ?? ''),
  fields: [],
});

const describe = (kind: string, namespace: string | undefined, name: string): string =>
  `${kind} ${namespace ? `${namespace}/` : ''}${name}`;

function ownerFor(object: ServiceObject, { instanceId }: ServiceContext): OwnerInfo {
  const { namespace = '', name = '' } = object.metadata;
  const resources = (object.status?.resources ?? []).map(entry => ({ apiGroup: '', message: '', ...entry }));
  return { key: `${namespace}/${name}`, instanceId, kind: object.kind, resources };
}

function contextFor<T extends ServiceObject, C extends ConfigObject>(
  { api }: ProviderDefinition<T, C>,
  object: T,
  options: PlanOptions<C> & { readonly signal: AbortSignal; readonly logger: Logger },
): ServiceContext<C> {
  const { provider, config, platform, connections, signal, logger, now = new Date() } = options;
  const { namespace = '', name = '' } = object.metadata;
  const identity = { namespace, name };
  return {
    provider,
    config,
    platform,
    signal,
    logger,
    now,
    instanceId: instanceIdOf(identity),
    instanceNamespace: instanceNamespaceOf(api.kind, identity),
    externalName: externalNameOf(object),
    get mcp() {
      return connections.mcp ?? unavailable('mcp');
    },
    get workload() {
      return connections.workload ?? unavailable('workload');
    },
  };
}
