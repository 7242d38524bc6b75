import type { OrderEvent } from '../../model/order-status.ts';
import type { JobRow } from '../../registry/orders-registry.ts';
import type { EndpointDelivery } from './deliver-job.ts';
import type { DeliveryDeps } from './delivery-deps.ts';

interface ReportedEnding {
  readonly event: Extract<OrderEvent, 'succeeded' | 'failed' | 'errored'>;
  readonly errorMessage?: string;
}

const hasResult = (row: JobRow | undefined): boolean => row === undefined || row.status.resultContentType !== undefined;

/** Waits for the result that a process reports through the data proxy. A process that ends before will not report it. */
export async function awaitReport(
  { registry, processes }: DeliveryDeps,
  { job, service, endpoint }: EndpointDelivery,
  signal: AbortSignal,
): Promise<ReportedEnding> {
  const ended = new AbortController();
  const check = (changed: string): void => {
    if (changed === service && !processes.isRunning(service, endpoint.process)) ended.abort();
  };
  const stop = processes.listen(check);
  try {
    check(service);
    const row = await registry.jobs.until(job.id, hasResult, AbortSignal.any([signal, ended.signal]));
    return row?.status.isRejected === true
      ? { event: 'failed', errorMessage: 'The service has rejected the request' }
      : { event: 'succeeded' };
  } catch (error) {
    signal.throwIfAborted();
    if (!ended.signal.aborted) throw error;
    return { event: 'errored', errorMessage: 'The process of the service ended before it reported the result' };
  } finally {
    stop();
  }
}
