import { apiError, badRequest, ChandleryError, isError, type JsonObject } from '@chandlery/api';
import type { InternalBroker, InternalInstance, InternalObjects, InternalOutcome } from '@chandlery/brokers/kinds';
import { commitAnew } from '@chandlery/registry';
import { createOrder } from '../../actions/orders/create-order.ts';
import type { OrderDeps } from '../../actions/orders/order-deps.ts';
import { OrdersError } from '../../errors.ts';
import { hostedPrefix } from '../../model/offerings/hosted-offering.ts';
import {
  catalogTenantOf,
  credentialsOf,
  instanceIdOf,
  instanceObjectOf,
  orderIdOf,
  ordersTenantOf,
  parametersOf,
  progressOf,
  servicesOf,
} from '../../model/offerings/order-offering.ts';
import { isEnded } from '../../model/order-status.ts';
import { controllerOf } from '../../model/services/convert-workflow.ts';
import { urnOf } from '../../model/urns.ts';
import { type OrderRow, removeRow, type ServiceRow } from '../../registry/orders-registry.ts';
import { createHostedOfferings, type HostedOfferings, type HostedOfferingsDeps } from './hosted-offerings.ts';

type OrderOfferingsDeps = OrderDeps & HostedOfferingsDeps;

/**
 * The services of tenants as an internal broker of the service manager: an instance is an order, its status reports the
 * progress, and its result is the connection; a service that runs all the time is an instance itself. Nothing is kept
 * besides the records.
 */
export function createOrderOfferings(deps: OrderOfferingsDeps): InternalBroker {
  const { registry } = deps;
  const hosted = createHostedOfferings(deps);
  const find = (id: string): OrderRow | undefined => registry.orders.get(orderIdOf(id));
  return {
    catalog: async (tenant = '') => {
      const ordersTenant = ordersTenantOf(tenant);
      const orderable = servicesOf(orderableServices(deps, ordersTenant));
      return [...orderable, ...hosted.catalog(ordersTenant, new Set(orderable.map(({ name }) => name)))];
    },
    onCatalogChange: changed =>
      registry.services.listen(({ type, row, previous }) => {
        if (type === 'removed' || previous?.generation !== row.generation) changed(catalogTenantOf(row.tenant));
      }),
    tenants: () => [...new Set([...registry.services.all()].map(({ tenant }) => catalogTenantOf(tenant)))],
    provision: instance => provision(deps, instance),
    update: async ({ id }, { planId: _, parameters = {} }) => {
      const service = hosted.find(id);
      if (service === undefined) return update(found(find(id)), parameters);
      service.update(parameters);
      return { state: 'done' };
    },
    deprovision: async (id, { isDryRun = false, isMitigation = false } = {}) => {
      const service = hosted.find(id);
      if (service === undefined) return isDryRun || (isMitigation && hasEnded(find(id))) ? done : deprovision(deps, id);
      return isDryRun ? done : removed(service.remove());
    },
    progress: async id => {
      const order = find(id);
      return hosted.find(id)?.progress ?? (order === undefined ? { state: 'gone' } : progressOf(order));
    },
    bind: async id => hosted.find(id)?.credentials() ?? connectionOf(found(find(id))),
    credentials: async id => {
      const order = find(id);
      return hosted.find(id)?.credentials() ?? (order && connectionOf(order));
    },
    unbind: async () => undefined,
    parameters: async id => {
      const order = find(id);
      return hosted.find(id) === undefined ? order && parametersOf(order) : {};
    },
    objects: orderObjects(deps, hosted),
  };
}

/** The services of a tenant that can be ordered, the oldest first. */
const orderableServices = ({ registry, models }: OrderDeps, tenant: string): readonly ServiceRow[] =>
  [...registry.services.by('tenant', tenant)]
    .filter(({ spec }) => models.find(controllerOf(spec))?.orderable === true)
    .sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1));

/** Orders that execute jobs are parts of these, and no instances. */
const orderObjects = ({ registry }: OrderDeps, hosted: HostedOfferings): InternalObjects => ({
  listen: listener => {
    const notify = (row: OrderRow): void => {
      if (row.spec.job === undefined) listener.changed(instanceIdOf(row));
    };
    const stop = registry.orders.listen(({ row }) => notify(row));
    for (const row of registry.orders.all()) notify(row);
    const stopHosted = hosted.listen(id => listener.changed(id));
    return () => {
      stop();
      stopHosted();
    };
  },
  isComplete: () => true,
  get: async id => {
    const service = hosted.find(id);
    if (service !== undefined) return service.object;
    const row = registry.orders.get(orderIdOf(id));
    return row === undefined || row.spec.job !== undefined ? undefined : instanceObjectOf(row);
  },
});

/** Places the order that the instance is. Idempotent. */
async function provision(deps: OrderDeps, instance: InternalInstance): Promise<InternalOutcome> {
  const { registry } = deps;
  const id = orderIdOf(instance.id);
  const existing = registry.orders.get(id);
  if (existing !== undefined) return provisionAgain(deps, existing, instance);
  const tenant = ordersTenantOf(instance.caller.tenant);
  if (instance.serviceId.startsWith(hostedPrefix))
    throw badRequest(
      'it cannot be ordered: create the service with `service apply`, and it becomes an instance by itself',
    );
  const service = registry.services.get(instance.serviceId);
  if (service === undefined || service.tenant !== tenant) throw badRequest('the service is not offered to this tenant');
  const name = instance.caller.context['instance_name'];
  const order = {
    id,
    service,
    parameters: valuesOf(instance.parameters),
    name: typeof name === 'string' ? name : undefined,
    instance: instance.id,
  };
  const { username = `platform:${instance.caller.platformId}` } = instance.caller;
  try {
    return outcomeOf(await createOrder(deps, { tenant, username }, order));
  } catch (error) {
    if (!isError(error, 'AlreadyExists', 'UniqueViolation')) throw rejectionOf(error);
  }
  const other = registry.orders.get(id);
  if (other === undefined) throw stillRemoved(id);
  return outcomeOfExisting(other, instance);
}

const outcomeOf = (order: OrderRow): InternalOutcome => ({
  state: progressOf(order).state === 'in progress' ? 'in progress' : 'done',
});

/** A failed order is retried through its own API; with other parameters it is another order. */
async function provisionAgain(deps: OrderDeps, order: OrderRow, instance: InternalInstance): Promise<InternalOutcome> {
  const { state, description = '' } = progressOf(order);
  if (state !== 'failed') return outcomeOfExisting(order, instance);
  if (isOrderOf(order, instance))
    throw badRequest(`the order has failed: ${description}; retry it with \`chandlery order retry ${order.id}\``);
  if (order.tenant !== ordersTenantOf(instance.caller.tenant) || order.spec.instance !== instance.id)
    return outcomeOfExisting(order, instance);
  await deprovision(deps, instance.id);
  if (deps.registry.orders.get(order.id) !== undefined) throw stillRemoved(order.id);
  return provision(deps, instance);
}

const stillRemoved = (id: string): ChandleryError =>
  new ChandleryError('ConcurrencyError', `the earlier order ${id} is still being removed`);

function outcomeOfExisting(order: OrderRow, instance: InternalInstance): InternalOutcome {
  if (!isOrderOf(order, instance)) throw apiError('Conflict', 'the instance exists with other attributes');
  return outcomeOf(order);
}

const isOrderOf = (order: OrderRow, { id, serviceId, parameters, caller }: InternalInstance): boolean =>
  order.tenant === ordersTenantOf(caller.tenant) &&
  order.spec.instance === id &&
  order.spec.service === urnOf('service', serviceId) &&
  JSON.stringify(order.spec.parameters ?? []) === JSON.stringify(valuesOf(parameters));

/** Values of orders are text. */
const valuesOf = (parameters: JsonObject) =>
  Object.entries(parameters).map(([name, value]) => ({
    name,
    value: typeof value === 'string' ? value : JSON.stringify(value),
  }));

/** What has been executed cannot be changed. */
function update(order: OrderRow, parameters: JsonObject): InternalOutcome {
  const current = parametersOf(order);
  const changed = valuesOf(parameters).find(({ name, value }) => current[name] !== value);
  if (changed !== undefined)
    throw badRequest(
      `the parameter "${changed.name}" cannot be changed: an order is executed once, with the parameters that it was placed with; order again with the new value`,
    );
  return outcomeOf(order);
}

const done: InternalOutcome = { state: 'done' };

/** An order that has ended shows why it failed, and can be retried: that is kept when nothing else is left of it. */
const hasEnded = (order: OrderRow | undefined): boolean =>
  order !== undefined && isEnded(order.status.status ?? 'pending');

/** Removes the order; its controller ends what runs for it. */
async function deprovision({ registry }: OrderDeps, id: string): Promise<InternalOutcome> {
  const commit = commitAnew(registry, () => {
    const row = registry.orders.get(orderIdOf(id));
    return row === undefined ? [] : [removeRow('orders', row)];
  });
  return removed(commit);
}

/** In a namespace that is being deleted nothing can be added, not even history: what is in it goes with it. */
async function removed(commit: Promise<void>): Promise<InternalOutcome> {
  try {
    await commit;
    return done;
  } catch (error) {
    if (!isError(error, 'Forbidden')) throw error;
    return { state: 'in progress' };
  }
}

function connectionOf(order: OrderRow): JsonObject | 'in progress' {
  const { state, description = '' } = progressOf(order);
  if (state === 'in progress') return 'in progress';
  if (state === 'failed') throw badRequest(`the order has no result: ${description}`);
  return credentialsOf(order);
}

function found(order: OrderRow | undefined): OrderRow {
  if (order === undefined) throw apiError('NotFound', 'there is no such instance');
  return order;
}

/** The rejections of the REST API, with the same message. */
const rejectionOf = (error: unknown): unknown =>
  error instanceof OrdersError && error.status < 500
    ? new ChandleryError('BadRequest', error.message, { cause: error })
    : error;
