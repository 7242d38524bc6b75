import { isError, toError } from '@chandlery/api';
import { commitAnew } from '@chandlery/registry';
import type { WorkResult } from '@chandlery/runtime';
import { admitOrder } from '../../actions/orders/create-order.ts';
import { moveOrder, type OrderMove } from '../../actions/orders/move-order.ts';
import { documentOrder, planOrder } from '../../actions/orders/plan-order.ts';
import { OrdersError, recordNotFound } from '../../errors.ts';
import { defaultTenant } from '../../kinds/index.ts';
import { parseUrn } from '../../model/urns.ts';
import { indexTerm, type OrderRow, type ServiceRow, updateRow } from '../../registry/orders-registry.ts';
import type { ReconcileDeps } from './order-controller-deps.ts';

const waitForOthersMs = 2000;
const activeStatuses = ['scheduled', 'executing', 'cancelling', 'unknown'] as const;

/** Hands an order in: plans its Workflow and submits it. Orders beyond the tenant's limit wait. */
export async function dispatchOrder(deps: ReconcileDeps, row: OrderRow): Promise<WorkResult> {
  if (row.status.status === 'pending' && isOverLimit(deps, row.tenant)) return { requeueAfterMs: waitForOthersMs };
  const workflow = await submitRun(deps, row);
  if (workflow !== undefined) await commitMove(deps, row.id, { event: 'accepted', changes: { workflow } });
  return 'done';
}

/** Checks an order that was not made through the REST API, as that does. An order that is impossible ends. */
export async function acceptOrder(deps: ReconcileDeps, row: OrderRow): Promise<void> {
  const { registry } = deps;
  try {
    const service = findService(deps, row);
    if (service === undefined) throw recordNotFound(row.spec.service);
    await commitAnew(registry, () => {
      const current = registry.orders.get(row.id);
      if (current === undefined || current.status.orderedAt !== undefined) return [];
      const { parameters = [], job: _, userInfo, ...spec } = current.spec;
      const actor = { username: userInfo?.username ?? '', tenant: current.tenant };
      const { status, writes } = admitOrder(deps, actor, { ...spec, id: current.id, service, parameters });
      return [updateRow({ table: 'orders', row: current, status: { ...current.status, ...status } }), ...writes];
    });
  } catch (error) {
    if (!isFinal(error)) throw error;
    await failOrder(deps, row.id, toError(error).message);
  }
}

/** A tenant orders services of its own; what is ordered for the default tenant may be any. */
function findService({ registry }: ReconcileDeps, { tenant, spec }: OrderRow): ServiceRow | undefined {
  const service = registry.services.get(parseUrn('service', spec.service) ?? '');
  return service?.tenant === tenant || tenant === defaultTenant ? service : undefined;
}

/** Submits the Workflow of an order, or of one run. When that is impossible the order ends, and undefined is returned. */
export async function submitRun(
  deps: ReconcileDeps,
  row: OrderRow,
  run?: number,
): Promise<NonNullable<OrderRow['status']['workflow']> | undefined> {
  const service = findService(deps, row);
  if (service === undefined) return failOrder(deps, row.id, `There is no ${row.spec.service} any more`);
  try {
    const purpose = row.spec.job === undefined ? 'order' : 'job';
    const order = documentOrder(row, run);
    const { document } = planOrder(deps, { service, order, values: row.status.arguments ?? [], purpose });
    const { cluster, ...submitted } = await deps.workflows.submit(document, row.tenant);
    return { ...submitted, ...(cluster !== undefined && { cluster }) };
  } catch (error) {
    if (!isFinal(error)) throw error;
    return failOrder(deps, row.id, toError(error).message);
  }
}

/** Errors that a further attempt would meet again. */
const isFinal = (error: unknown): boolean =>
  error instanceof OrdersError || isError(error, 'Invalid', 'BadRequest', 'Forbidden', 'RequestEntityTooLarge');

async function failOrder(deps: ReconcileDeps, id: string, errorMessage: string): Promise<undefined> {
  await commitMove(deps, id, { event: 'errored', changes: { errorMessage } });
}

/** Moves an order, whatever has changed of it meanwhile. */
export async function commitMove(
  { registry }: Pick<ReconcileDeps, 'registry'>,
  id: string,
  move: OrderMove,
): Promise<void> {
  await commitAnew(registry, () => {
    const row = registry.orders.get(id);
    return row === undefined ? [] : moveOrder(registry, row, move);
  });
}

/** Whether a tenant has so many orders executed that others wait. */
export function isOverLimit(
  { registry, settings }: Pick<ReconcileDeps, 'registry' | 'settings'>,
  tenant: string,
): boolean {
  const count = (status: string): number => registry.orders.count('tenantStatus', indexTerm(tenant, status));
  return activeStatuses.reduce((sum, status) => sum + count(status), 0) >= settings.runningOrders;
}
