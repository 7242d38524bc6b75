import type { WorkQueue } from '@chandlery/runtime';
import { globalTenant, type InternalBroker, internalNameOf } from '../../kinds/index.ts';
import type { BrokerRow, Registry, RowChange, VisibilityRow } from '../../model/rows.ts';
import { isSettled } from './broker-work.ts';

/** A row that is to be looked at. */
export interface Key {
  readonly table: 'brokers' | 'visibilities';
  readonly id: string;
  readonly tenant: string;
}

/** Observations that are not in the rows. */
export interface Observations {
  readonly brokers: LastSettledStates<BrokerRow>;
  readonly visibilities: LastSettledStates<VisibilityRow>;
  /** Ids of brokers whose catalog has changed. */
  readonly stale: Set<string>;
}

/** Where work comes from. */
interface Sources {
  readonly registry: Registry;
  readonly internalBrokers?: ReadonlyMap<string, Pick<InternalBroker, 'onCatalogChange'>> | undefined;
}

/** Creates empty observations. */
export const noObservations = (): Observations => ({
  brokers: new LastSettledStates<BrokerRow>(),
  visibilities: new LastSettledStates<VisibilityRow>(),
  stale: new Set(),
});

/** Puts what needs a look into the queue, now and from now on. Returns how to stop it. */
export function followSources(
  { registry, internalBrokers }: Sources,
  queue: WorkQueue<Key>,
  observations: Observations,
): () => void {
  const stops = [
    ...followRows(registry, queue, observations),
    ...followReferences(registry, queue),
    ...[...(internalBrokers ?? [])].map(([name, source]) =>
      source.onCatalogChange(tenant =>
        addInternal(registry, queue, { internal: internalNameOf(name, tenant ?? globalTenant), observations }),
      ),
    ),
  ];
  void registry.synced.then(() => {
    for (const row of registry.brokers.all()) {
      // Their catalogs may have changed while no controller was running.
      if (row.spec.internal !== undefined) observations.stale.add(row.id);
      queue.add(keyOf('brokers', row));
    }
    addUnsettled(queue, registry.visibilities.all());
  });
  return () => {
    for (const stop of stops) stop();
  };
}

const followRows = (registry: Registry, queue: WorkQueue<Key>, observations: Observations): (() => void)[] => [
  registry.brokers.listen(change => {
    observations.brokers.observe(change);
    if (isRelevant(change)) queue.add(keyOf('brokers', change.row));
  }),
  registry.visibilities.listen(change => {
    observations.visibilities.observe(change);
    if (isRelevant(change)) addUnsettled(queue, [change.row]);
  }),
];

/** Enqueues rows when something that they wait for appears or disappears. */
const followReferences = (registry: Registry, queue: WorkQueue<Key>): (() => void)[] => [
  registry.plans.listen(({ row }) => addUnsettled(queue, registry.visibilities.by('planId', row.id))),
  registry.platforms.listen(({ type, row }) => {
    if (type === 'added') addUnsettled(queue, registry.visibilities.by('platformId', row.id));
  }),
  registry.instances.listen(({ type, row }) => {
    const plan = type === 'removed' ? registry.plans.get(row.spec.planId ?? '') : undefined;
    const broker = plan && registry.brokers.get(plan.spec.brokerId);
    if (broker?.isDeleting === true) queue.add(keyOf('brokers', broker));
  }),
  // The rows of a commit of another process arrive one by one: the broker may come before its operation.
  registry.operations.listen(({ type, row }) => {
    const broker = type === 'added' ? registry.brokers.get(row.spec.resourceId) : undefined;
    if (broker?.status.ready === false) queue.add(keyOf('brokers', broker));
  }),
];

/** Changes of the status alone are our own. */
const isRelevant = ({ type, row, previous }: RowChange<BrokerRow> | RowChange<VisibilityRow>): boolean =>
  type !== 'removed' && (previous?.generation !== row.generation || previous.isDeleting !== row.isDeleting);

function addUnsettled(queue: WorkQueue<Key>, rows: Iterable<VisibilityRow>): void {
  for (const row of rows) if (!isSettled(row)) queue.add(keyOf('visibilities', row));
}

interface ChangedSource {
  readonly internal: string;
  readonly observations: Observations;
}

function addInternal(registry: Registry, queue: WorkQueue<Key>, { internal, observations }: ChangedSource): void {
  for (const row of registry.brokers.by('internal', internal)) {
    observations.stale.add(row.id);
    queue.add(keyOf('brokers', row));
  }
}

const keyOf = (table: Key['table'], { id, tenant }: Pick<BrokerRow, 'id' | 'tenant'>): Key => ({ table, id, tenant });

type KnownRow = Parameters<typeof isSettled>[0] & { readonly id: string };

/**
 * The last settled state of rows that were changed through the Kubernetes API, which platforms still know and the row
 * itself no longer has. Collected from changes; after a restart the current row is used instead.
 */
class LastSettledStates<R extends KnownRow> {
  readonly #states = new Map<string, R>();

  observe({ type, row, previous }: RowChange<R>): void {
    if (type === 'removed' || isSettled(row)) this.#states.delete(row.id);
    else if (previous !== undefined && isSettled(previous)) this.#states.set(row.id, previous);
  }

  get(id: string): R | undefined {
    return this.#states.get(id);
  }
}
