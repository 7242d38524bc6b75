import type { IncomingHttpHeaders } from 'node:http';
import { OrdersError } from '../../errors.ts';
import { isEnded } from '../../model/order-status.ts';
import { isUuid, parseUrn, urnOf } from '../../model/urns.ts';
import type { JobRow, OrderRow } from '../../registry/orders-registry.ts';
import type { ProxyCall, ProxyDeps } from './proxy-call.ts';
import type { TokenSubject } from './proxy-tokens.ts';

type Holder = Pick<ProxyCall, 'tenant' | 'order' | 'service'>;

/** Returns the holder of a request's token. Throws `forbidden` when the token is no longer valid. */
export function holderOf(deps: ProxyDeps, subject: TokenSubject | undefined, headers: IncomingHttpHeaders): Holder {
  const invalid = new OrdersError('forbidden', 'The URL has no valid token');
  if (subject === undefined) throw invalid;
  if (subject.kind === 'service') return serviceHolder(deps, subject.id, headers);
  const order = deps.registry.orders.get(subject.id);
  if (order === undefined) throw invalid;
  if (isEnded(order.status.status ?? 'pending')) throw new OrdersError('forbidden', 'The order has ended');
  return { tenant: order.tenant, order, service: undefined };
}

/** What a process does for a job belongs to the order of the job, when the tenant of the service has sent it. */
function serviceHolder({ registry }: ProxyDeps, id: string, headers: IncomingHttpHeaders): Holder {
  const service = registry.services.get(id);
  if (service === undefined) throw new OrdersError('forbidden', 'The service does not exist any more');
  const job = namedJob(registry, headers);
  const order = job?.spec.service === urnOf('service', id) ? orderOf(registry, job) : undefined;
  return { tenant: service.tenant, service: id, order: order?.tenant === service.tenant ? order : undefined };
}

function namedJob({ jobs }: ProxyDeps['registry'], headers: IncomingHttpHeaders): JobRow | undefined {
  const name = headers['job-id'] ?? headers['ivcap-job-id'];
  if (typeof name !== 'string') return undefined;
  return jobs.get(isUuid(name) ? name : (parseUrn('job', name) ?? ''));
}

function orderOf({ orders }: ProxyDeps['registry'], { spec }: JobRow): OrderRow | undefined {
  const order = orders.get(parseUrn('order', spec.order ?? '') ?? '');
  return order === undefined || isEnded(order.status.status ?? 'pending') ? undefined : order;
}
