import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isError } from '@chandlery/api';
import { invalidField, OrdersError, recordNotFound } from '../../errors.ts';
import type { Order, ParameterDefinition } from '../../kinds/index.ts';
import { withoutUndefined } from '../../model/bodies/body-fields.ts';
import {
  type CheckReference,
  type ParameterValue,
  verifyParameters,
} from '../../model/parameters/verify-parameters.ts';
import { controllerSchemaOf } from '../../model/schema-names.ts';
import { controllerOf } from '../../model/services/convert-workflow.ts';
import { standingQueue } from '../../model/standing-queue.ts';
import { accountUrn, parseUrn, urnOf } from '../../model/urns.ts';
import {
  createRow,
  indexTerm,
  type OrderRow,
  type OrdersRegistry,
  type OrdersWrite,
  type ServiceRow,
} from '../../registry/orders-registry.ts';
import type { Actor } from '../action-deps.ts';
import { statement } from './order-aspects.ts';
import type { OrderDeps } from './order-deps.ts';
import { checkDocument, type PlanRequest, planOrder } from './plan-order.ts';
import { replaceCollections } from './replace-collections.ts';

/** What is ordered. */
export interface NewOrder {
  readonly service: ServiceRow;
  readonly parameters: readonly ParameterValue[];
  readonly name?: string | undefined;
  readonly tags?: string[] | undefined;
  readonly policy?: string | undefined;
  readonly execution?: Order['spec']['execution'] | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly resubmitOf?: string | undefined;
  /** The URN of the job that the order executes. */
  readonly job?: string | undefined;
  /** The id of the service instance that the order is. */
  readonly instance?: string | undefined;
  /** Default: a new one. */
  readonly id?: string;
}

/** Creates an order; with an idempotency key that was used before, returns the first one. Throws `conflict`. */
export function createOrder(deps: OrderDeps, actor: Actor, order: NewOrder): Promise<OrderRow> {
  const { idempotencyKey } = order;
  if (idempotencyKey === undefined) return placeOrder(deps, actor, order);
  const term = indexTerm(actor.tenant, idempotencyKey);
  return deps.recordLocks.run(`idempotency ${term}`, () => placeOnce(deps, actor, order, term));
}

const maxAttempts = 10;

/** Another replica may have placed the order at the same time: its record arrives a little later. */
async function placeOnce(deps: OrderDeps, actor: Actor, order: NewOrder, term: string): Promise<OrderRow> {
  for (let attempt = 1; ; attempt++) {
    const [first] = deps.registry.orders.by('idempotencyKey', term);
    if (first !== undefined) return checkRepeated(first, order);
    try {
      return await placeOrder(deps, actor, order);
    } catch (error) {
      if (!isError(error, 'UniqueViolation') || attempt === maxAttempts) throw error;
      await sleep(20 * attempt);
    }
  }
}

function checkRepeated(first: OrderRow, order: NewOrder): OrderRow {
  if (first.spec.requestDigest === digestOf(order)) return first;
  throw new OrdersError(
    'conflict',
    `The Idempotency-Key '${order.idempotencyKey ?? ''}' belongs to an order with another body`,
    { id: urnOf('order', first.id), name: 'idempotency-key', value: order.idempotencyKey },
  );
}

async function placeOrder(deps: OrderDeps, actor: Actor, order: NewOrder): Promise<OrderRow> {
  const { registry, budget } = deps;
  budget.checkRecords(actor.tenant);
  const { id = registry.newId() } = order;
  await registry.commit(orderWrites(deps, actor, { ...order, id }));
  const row = registry.orders.get(id);
  if (row === undefined) throw recordNotFound(urnOf('order', id));
  return row;
}

/** Returns the writes of a new order. Throws whatever makes it impossible, before anything is written. */
export function orderWrites(
  deps: OrderDeps,
  actor: Actor,
  order: NewOrder & { readonly id: string },
): readonly OrdersWrite[] {
  const { status, writes } = admitOrder(deps, actor, order);
  return [createRow({ table: 'orders', id: order.id, tenant: actor.tenant, spec: specOf(order), status }), ...writes];
}

/** The first status of an order, and what is written with it. */
export interface AdmittedOrder {
  readonly status: NonNullable<Order['status']>;
  readonly writes: readonly OrdersWrite[];
}

/** Decides whether an order can be executed. Throws whatever makes it impossible. */
export function admitOrder(
  deps: OrderDeps,
  { tenant, username }: Actor,
  order: NewOrder & { readonly id: string },
): AdmittedOrder {
  const { registry } = deps;
  const { id, service, job } = order;
  const purpose = job === undefined ? 'order' : 'job';
  const controller = controllerOf(service.spec);
  const { provider } = deps.models.modelFor(controller, purpose);
  checkExecution(registry, tenant, order.execution);
  const definitions = service.spec.parameters ?? [];
  const supplied = withQueue(definitions, order);
  const verified = verifyParameters(definitions, supplied, referenceCheck(registry, tenant));
  if (verified.problem !== undefined) {
    const { name, message, value } = verified.problem;
    throw invalidField(name, message, value);
  }
  const replaced = replaceCollections(registry, { order: id, tenant, definitions, values: verified.values });
  const documentOrder = { id, tenant, service: service.id, name: order.name };
  const planning = { service, order: documentOrder, values: replaced.values, purpose } as const;
  const warnings = provider === undefined ? [] : planChecked(deps, planning);
  return {
    status: {
      status: 'pending',
      orderedAt: registry.now(),
      orderer: username,
      schema: controllerSchemaOf(controller) ?? '',
      arguments: replaced.values.map(value => ({ ...value })),
      ...(warnings.length > 0 && { warnings: [...warnings] }),
    },
    writes: [
      ...replaced.writes,
      ...statementsOf(registry, { id, tenant, service: service.id, values: verified.values }),
    ],
  };
}

/** Plans an order to see whether it is possible, and returns what its orderer should know. */
function planChecked(deps: OrderDeps, request: PlanRequest): readonly string[] {
  const { document, warnings } = planOrder(deps, request);
  checkDocument(document);
  return warnings;
}

/** A standing order gives its queue to parameters of this type that the orderer leaves out. */
function withQueue(
  definitions: readonly ParameterDefinition[],
  { parameters, execution }: NewOrder,
): readonly ParameterValue[] {
  const queue = standingQueue({ execution });
  if (queue === undefined) return parameters;
  const given = new Set(parameters.map(({ name }) => name));
  const missing = definitions.filter(({ name, type }) => type === 'queue' && !given.has(name));
  return [...parameters, ...missing.map(({ name }) => ({ name, value: urnOf('queue', queue) }))];
}

const specOf = (order: NewOrder): Order['spec'] =>
  withoutUndefined({
    service: urnOf('service', order.service.id),
    parameters: order.parameters.map(({ name, value }) => ({ name, value })),
    name: order.name,
    tags: order.tags,
    policy: order.policy,
    execution: order.execution,
    idempotencyKey: order.idempotencyKey,
    requestDigest: order.idempotencyKey === undefined ? undefined : digestOf(order),
    resubmitOf: order.resubmitOf,
    job: order.job,
    instance: order.instance,
  });

/** The same for requests that ask for the same. */
const digestOf = ({ service, parameters, name, tags, policy, execution }: NewOrder): string =>
  createHash('sha256')
    .update(JSON.stringify([service.id, parameters.map(p => [p.name, p.value]), name, tags, policy, execution]))
    .digest('hex');

function checkExecution(registry: OrdersRegistry, tenant: string, execution: NewOrder['execution']): void {
  if (execution?.type !== 'standing') return;
  const queue = (execution.selector as { readonly queue?: unknown } | undefined)?.queue;
  const id = typeof queue === 'string' ? parseUrn('queue', queue) : undefined;
  if (id === undefined)
    throw invalidField('execution.selector.queue', 'execution.selector.queue must be the URN of a queue', queue);
  if (registry.queues.get(id)?.tenant !== tenant)
    throw invalidField('execution.selector.queue', `There is no ${String(queue)}`, queue);
}

/** References are checked with the rights of the orderer, whose tenant the order is for. */
const referenceCheck =
  ({ artifacts, collections, queues }: OrdersRegistry, tenant: string): CheckReference =>
  (kind, id) => {
    const row = { artifact: artifacts, collection: collections, queue: queues }[kind].get(id);
    if (row?.tenant !== tenant) return `there is no ${urnOf(kind, id)}`;
    if (kind !== 'artifact') return undefined;
    const { status = 'unknown' } = row.status as { readonly status?: string };
    return status === 'ready' ? undefined : `${urnOf(kind, id)} is ${status}, not ready`;
  };

interface PlacedOrder {
  readonly id: string;
  readonly tenant: string;
  readonly service: string;
  readonly values: readonly ParameterValue[];
}

function statementsOf(registry: OrdersRegistry, { id, tenant, service, values }: PlacedOrder): readonly OrdersWrite[] {
  const order = urnOf('order', id);
  const placed = { 'order-id': order, 'service-id': urnOf('service', service), account: accountUrn(tenant) };
  const artifacts = [...new Set(values.map(({ value }) => value))].filter(
    value => parseUrn('artifact', value) !== undefined,
  );
  return [
    statement(registry, { tenant, entity: order, schema: 'order-placed.1', content: placed }),
    ...artifacts.map(entity =>
      statement(registry, {
        tenant,
        entity,
        schema: 'artifact-usedBy-order.1',
        content: { 'order-id': order, artifact: entity },
      }),
    ),
  ];
}
