import { setTimeout as sleep } from 'node:timers/promises';
import { toError } from '@chandlery/api';
import { recordResult } from '../../actions/jobs/job-results.ts';
import { readKept } from '../../actions/jobs/keep-content.ts';
import type { OrderEvent } from '../../model/order-status.ts';
import { urnOf } from '../../model/urns.ts';
import type { HostedEndpoint, JobResponse } from '../../order-ports.ts';
import { commitMove } from '../orders/dispatch-order.ts';
import { awaitReport } from './await-report.ts';
import type { Delivery, DeliveryDeps } from './delivery-deps.ts';
import { describeResponse } from './describe-response.ts';

export interface EndpointDelivery extends Delivery {
  readonly endpoint: HostedEndpoint;
}

/** For so long a process may keep a job before it answers that it has accepted it. */
const processTimeoutSeconds = 60;
const maxTimerMs = 2 ** 31 - 1;

/** How an order ends. */
interface Ending {
  readonly event: Extract<OrderEvent, 'succeeded' | 'failed' | 'errored'>;
  readonly errorMessage?: string;
}

/** Sends a job to a process, waits for its result and ends the order. Never rejects. */
export async function deliverJob(deps: DeliveryDeps, delivery: EndpointDelivery, signal: AbortSignal): Promise<void> {
  const { id } = delivery.order;
  try {
    await commitMove(deps, id, { event: 'started', changes: { engineState: { process: delivery.endpoint.process } } });
    if (deps.registry.orders.get(id)?.status.status !== 'executing') return;
    const ending = await execute(deps, delivery, signal);
    if (ending === undefined) return await putBack(deps, delivery);
    const { event, errorMessage } = ending;
    deps.deliveries.stopWaiting(id);
    await commitMove(deps, id, { event, changes: errorMessage === undefined ? {} : { errorMessage } });
  } catch (error) {
    if (signal.aborted) return;
    await endBadly(deps, id, toError(error).message);
  }
}

async function endBadly(deps: DeliveryDeps, id: string, errorMessage: string): Promise<void> {
  deps.logger.error('a job could not be delivered', { order: id, error: errorMessage });
  await commitMove(deps, id, { event: 'errored', changes: { errorMessage } }).catch(() => undefined);
}

/** Nothing has listened: the process is about to end, and another one will take the job. */
async function putBack(deps: DeliveryDeps, { order, service }: EndpointDelivery): Promise<void> {
  deps.deliveries.wait(order.id, service, deps.clock.now().getTime());
  await sleep(refusedPauseMs);
  await commitMove(deps, order.id, { changes: { engineState: {} } });
}

const refusedPauseMs = 500;

/** Undefined: the process knows nothing of the job. */
async function execute(
  deps: DeliveryDeps,
  delivery: EndpointDelivery,
  signal: AbortSignal,
): Promise<Ending | undefined> {
  const timeout = AbortSignal.timeout(Math.min(deps.profile.deadlineSeconds * 1000, maxTimerMs));
  const limited = AbortSignal.any([signal, timeout]);
  try {
    return await exchange(deps, delivery, limited);
  } catch (error) {
    if (signal.aborted || !timeout.aborted) throw error;
    return { event: 'failed', errorMessage: `The service has not answered within ${deps.profile.deadlineSeconds} s` };
  }
}

async function exchange(
  deps: DeliveryDeps,
  delivery: EndpointDelivery,
  signal: AbortSignal,
): Promise<Ending | undefined> {
  const { jobSender } = deps;
  const { endpoint, job } = delivery;
  const headers = {
    'content-type': job.spec.requestContentType,
    'job-id': urnOf('job', job.id),
    'ivcap-job-id': urnOf('job', job.id),
    'ivcap-order-id': job.spec.order ?? '',
    timeout: String(processTimeoutSeconds),
  };
  const content = await readRequest(deps, delivery);
  let response = await jobSender.send({ endpoint, headers, content }, signal);
  if (response.kind === 'refused') return undefined;
  while (response.kind === 'accepted') {
    const { location, retryAfterMs } = response;
    if (location === undefined) return awaitReport(deps, delivery, signal);
    await sleep(retryAfterMs, undefined, { signal });
    response = await jobSender.poll(endpoint, location, signal);
  }
  return interpret(deps, delivery, response);
}

async function readRequest(deps: DeliveryDeps, { job }: EndpointDelivery): Promise<Uint8Array> {
  const { requestContent: content } = job.spec;
  const pieces: Uint8Array[] = [];
  for await (const piece of readKept(deps, { content, digest: job.status.requestDigest })) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function interpret(
  deps: DeliveryDeps,
  { job }: EndpointDelivery,
  response: Exclude<JobResponse, { readonly kind: 'accepted' }>,
): Promise<Ending> {
  if (response.kind === 'refused') return { event: 'errored', errorMessage: 'The process of the service has ended' };
  if (response.kind === 'broken')
    return { event: 'errored', errorMessage: `The connection to the service broke: ${response.message}` };
  const { status, contentType, content } = response;
  if (content === undefined)
    return { event: 'errored', errorMessage: 'The result is too long; services store such results as artifacts' };
  const isSuccess = status >= 200 && status < 300;
  const isRejection = status >= 400 && status < 500;
  if ((isSuccess && content.length > 0) || isRejection)
    await recordResult(deps, job.id, { contentType, content, isError: isRejection });
  return isSuccess ? { event: 'succeeded' } : { event: 'failed', errorMessage: describeResponse(status, content) };
}
