import { type Clock, type Logger, systemClock } from '@chandlery/platform';
import {
  type ControllerMetrics,
  createWorkQueue,
  relistPriority,
  runWorkers,
  type WorkQueue,
} from '@chandlery/runtime';
import type { BrokerActions } from '../../actions/broker-action-types.ts';
import { globalTenant, type InternalBroker, isLandscapeBroker, parseInternalName } from '../../kinds/index.ts';
import { isEnded } from '../../model/operations/operation-state.ts';
import type { BrokerRow, InstanceRow, Registry } from '../../model/rows.ts';
import { adoptObject } from './adopt-object.ts';
import { ensureBroker } from './ensure-broker.ts';

/** How the landscape's own offerings are put into the catalogue. */
export interface LandscapeOptions {
  readonly registry: Registry;
  readonly actions: { readonly brokers: BrokerActions };
  /** What other domains offer, by name. */
  readonly internalBrokers: ReadonlyMap<string, InternalBroker>;
  readonly logger: Logger;
  /** Default: nothing is measured. */
  readonly metrics?: ControllerMetrics | undefined;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/** A catalog of a source, or one of its instances. */
type Key =
  | { readonly type: 'catalog'; readonly name: string; readonly tenant: string }
  | { readonly type: 'object'; readonly name: string; readonly id: string };

/** Objects whose plan is not there yet: by the id of the plan at the source, then by their own. */
type Waiting = Map<string, Map<string, Key>>;

const concurrency = 8;
const queueName = 'brokers-landscape';

/**
 * Keeps a broker for everything that the domains of the landscape offer, and an instance for everything that was made
 * through the API of a domain. The registry must be synced, and only one may run at a time.
 */
export function startLandscape(options: LandscapeOptions): AsyncDisposable {
  const { registry, actions, internalBrokers, logger, metrics, clock = systemClock } = options;
  const queue = createWorkQueue<Key>({
    tenantOf: key => (key.type === 'catalog' ? key.tenant : key.name),
    backOff: { baseMs: 20, maxMs: 60_000 },
    ...(metrics && { observer: metrics.observeQueue(queueName) }),
    clock,
  });
  const waiting: Waiting = new Map();
  const stops = [
    ...[...internalBrokers].flatMap(([name, source]) => followSource({ registry, queue, name }, source)),
    ...followRows(registry, queue, waiting),
    ...followDeletions(registry, queue, [...internalBrokers.keys()]),
  ];
  addRows(registry, queue);
  const workers = runWorkers({
    name: queueName,
    queue,
    concurrency,
    work: async key => {
      const source = internalBrokers.get(key.name);
      if (source === undefined) return 'done';
      if (key.type === 'object') {
        const awaitPlan = (planId: string): void =>
          void waiting.set(planId, (waiting.get(planId) ?? new Map<string, Key>()).set(key.id, key));
        return adoptObject({ registry, clock, awaitPlan }, { ...key, source });
      }
      await ensureBroker({ registry, actions: actions.brokers }, { ...key, source });
      return 'done';
    },
    onFailure: ({ key, error }) =>
      logger.warn('an offering of the landscape could not be reconciled, will be tried again', {
        ...key,
        error: error.message,
      }),
  });
  return {
    async [Symbol.asyncDispose]() {
      for (const stop of stops) stop();
      await workers[Symbol.asyncDispose]();
    },
  };
}

interface Followed {
  readonly registry: Registry;
  readonly queue: WorkQueue<Key>;
  readonly name: string;
}

function followSource({ registry, queue, name }: Followed, source: InternalBroker): (() => void)[] {
  const addCatalog = (tenant: string = globalTenant): void => queue.add({ type: 'catalog', name, tenant });
  const { objects } = source;
  const stops = [source.onCatalogChange(addCatalog)];
  for (const tenant of source.tenants?.() ?? [globalTenant]) addCatalog(tenant);
  const changed = (id: string): void => queue.add({ type: 'object', name, id });
  const completed = (serviceId: string): void => {
    for (const { id } of registry.offerings.by('catalogId', serviceId)) addInstances({ registry, queue, name }, id);
  };
  if (objects !== undefined) stops.push(objects.listen({ changed, completed }));
  return stops;
}

/** Objects wait for their plan, and a broker that a client has removed is made again. */
const followRows = (registry: Registry, queue: WorkQueue<Key>, waiting: Waiting): (() => void)[] => [
  registry.plans.listen(({ type, row }) => {
    const keys = type === 'added' ? waiting.get(row.spec.catalogId) : undefined;
    if (keys === undefined) return;
    waiting.delete(row.spec.catalogId);
    for (const key of keys.values()) queue.add(key);
  }),
  registry.brokers.listen(({ type, row }) => {
    if (type !== 'removed' || row.spec.internal === undefined) return;
    const { source: name, tenant } = parseInternalName(row.spec.internal);
    queue.add({ type: 'catalog', name, tenant });
  }),
  // While an operation was in progress, the object was left to it.
  registry.instances.listen(({ type, row, previous }) => {
    if (type !== 'removed' && row.status.ready === true && previous?.status.ready !== true)
      addObject(registry, queue, row);
  }),
  registry.operations.listen(({ type, row, previous }) => {
    const hasEnded = type !== 'removed' && isEnded(row) && !(previous !== undefined && isEnded(previous));
    const instance = hasEnded ? registry.instances.get(row.spec.resourceId) : undefined;
    if (instance !== undefined) addObject(registry, queue, instance);
  }),
  // Instances keep a broker that has nothing to offer any more.
  registry.instances.listen(({ type, row }) => {
    const broker = type === 'removed' ? brokerOf(registry, row) : undefined;
    if (broker === undefined || !isLandscapeBroker(broker)) return;
    const { source: name, tenant } = parseInternalName(broker.spec.internal ?? '');
    queue.add({ type: 'catalog', name, tenant });
  }),
];

function addObject(registry: Registry, queue: WorkQueue<Key>, row: InstanceRow): void {
  const source = sourceOf(registry, row);
  if (source !== undefined) queue.add({ type: 'object', name: source.source, id: row.id });
}

function brokerOf({ plans, brokers }: Registry, { spec, status }: InstanceRow): BrokerRow | undefined {
  const plan = plans.get(status.planId ?? spec.planId ?? '');
  return plan && brokers.get(plan.spec.brokerId);
}

/** The source that has the object of an instance; undefined for instances of other brokers. */
function sourceOf(registry: Registry, row: InstanceRow): ReturnType<typeof parseInternalName> | undefined {
  const { internal } = brokerOf(registry, row)?.spec ?? {};
  return internal === undefined ? undefined : parseInternalName(internal);
}

/** Rows of a namespace that is being deleted may lose their plan before their object, or after it. */
function followDeletions(registry: Registry, queue: WorkQueue<Key>, names: readonly string[]): (() => void)[] {
  const add = (id: string): void => {
    for (const name of names) queue.add({ type: 'object', name, id });
  };
  return [
    registry.instances.listen(({ type, row }) => {
      if (type !== 'removed' && row.isDeleting) add(row.id);
    }),
    registry.plans.listen(({ type, row }) => {
      if (type !== 'removed') return;
      for (const { id, isDeleting } of registry.instances.by('planId', row.id)) if (isDeleting) add(id);
    }),
  ];
}

/** Adds rows whose object may have been deleted while no controller was running. */
function addRows(registry: Registry, queue: WorkQueue<Key>): void {
  for (const broker of registry.brokers.all()) {
    if (broker.spec.internal === undefined) continue;
    const { source: name } = parseInternalName(broker.spec.internal);
    for (const { id } of registry.offerings.by('brokerId', broker.id)) addInstances({ registry, queue, name }, id);
  }
}

function addInstances({ registry, queue, name }: Followed, offeringId: string): void {
  for (const plan of registry.plans.by('offeringId', offeringId))
    for (const { id } of registry.instances.by('planId', plan.id))
      queue.add({ type: 'object', name, id }, { priority: relistPriority });
}
