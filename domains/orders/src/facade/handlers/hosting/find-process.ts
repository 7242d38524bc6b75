import type { OrderDeps } from '../../../actions/orders/order-deps.ts';
import { OrdersError } from '../../../errors.ts';
import { controllerOf } from '../../../model/services/convert-workflow.ts';
import { urnOf } from '../../../model/urns.ts';
import type { HostedEndpoint, HostedProcesses } from '../../../order-ports.ts';
import type { Call } from '../call.ts';
import { findRecord } from '../find-record.ts';

/** What finding the process of a service needs. */
export interface FindProcessDeps extends Pick<OrderDeps, 'registry' | 'models'> {
  readonly processes: HostedProcesses;
}

const retryAfterSeconds = 2;

/**
 * Returns where the process of a service listens that is reached through the reverse proxy. Throws `not-found`, and
 * `process-not-ready` with the reason.
 */
export function findProcess(
  { registry, models, processes }: FindProcessDeps,
  call: Pick<Call, 'params' | 'scope'>,
): HostedEndpoint {
  const { id, spec } = findRecord(call, 'service', registry.services);
  const urn = urnOf('service', id);
  if (models.hostingOf(controllerOf(spec))?.takes !== 'requests')
    throw new OrdersError('not-found', `${urn} has no proxy: its controller is of another model`, { id: urn });
  const state = processes.stateOf(id);
  if (state.endpoint !== undefined) return state.endpoint;
  throw new OrdersError('process-not-ready', `The service ${urn} is not ready: ${state.problem}`, {
    id: urn,
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}
