import { isError, toError } from '@chandlery/api';
import { commitAnew } from '@chandlery/registry';
import type { WorkResult } from '@chandlery/runtime';
import { moveOrder, type OrderMove } from '../../actions/orders/move-order.ts';
import { documentOrder, planOrder } from '../../actions/orders/plan-order.ts';
import { OrdersError } from '../../errors.ts';
import { parseUrn } from '../../model/urns.ts';
import { indexTerm, type OrderRow } from '../../registry/orders-registry.ts';
import type { ReconcileDeps } from './order-controller-deps.ts';

const waitForOthersMs = 2000;
const activeStatuses = ['scheduled', 'executing', 'cancelling', 'unknown'] as const;

/** Hands an order in: plans its Workflow and submits it. Orders beyond the tenant's limit wait. */
export async function dispatchOrder(deps: ReconcileDeps, row: OrderRow): Promise<WorkResult> {
  if (row.status.status === 'pending' && countActive(deps, row.tenant) >= deps.settings.runningOrders)
    return { requeueAfterMs: waitForOthersMs };
  const workflow = await submitRun(deps, row);
  if (workflow !== undefined) await commitMove(deps, row.id, { event: 'accepted', changes: { workflow } });
  return 'done';
}

/** A Workflow that was submitted. */
export interface SubmittedRun {
  namespace: string;
  name: string;
  uid: string;
}

/** Submits the Workflow of an order, or of one run. When that is impossible the order ends, and undefined is returned. */
export async function submitRun(deps: ReconcileDeps, row: OrderRow, run?: number): Promise<SubmittedRun | undefined> {
  const service = deps.registry.services.get(parseUrn('service', row.spec.service) ?? '');
  if (service === undefined) return failOrder(deps, row.id, `There is no ${row.spec.service} any more`);
  try {
    const purpose = row.spec.job === undefined ? 'order' : 'job';
    const order = documentOrder(row, run);
    const { document } = planOrder(deps, { service, order, values: row.status.arguments ?? [], purpose });
    const uid = await deps.workflows.submit(document);
    return { namespace: document.metadata.namespace ?? '', name: document.metadata.name ?? '', uid };
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

const countActive = ({ registry }: ReconcileDeps, tenant: string): number =>
  activeStatuses.reduce((sum, status) => sum + registry.orders.count('tenantStatus', indexTerm(tenant, status)), 0);
