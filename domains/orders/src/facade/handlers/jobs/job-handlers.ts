import { createJob } from '../../../actions/jobs/create-job.ts';
import { rejectionPrefix } from '../../../actions/jobs/job-results.ts';
import { readKept } from '../../../actions/jobs/keep-content.ts';
import { badRequest, recordNotFound } from '../../../errors.ts';
import { isEnded } from '../../../model/order-status.ts';
import { parseUrn, urnOf } from '../../../model/urns.ts';
import type { JobRow, ServiceRow } from '../../../registry/orders-registry.ts';
import { actorOf, type Call, noContent, type OrdersResponse, ok } from '../call.ts';
import { findRecord } from '../find-record.ts';
import { listRecords } from '../lists/list-records.ts';
import { readFlag } from '../lists/read-list-query.ts';
import type { OrderHandlerDeps } from '../orders/order-deps.ts';
import { openEvents } from './job-events.ts';
import { jobColumns, jobHref, presentJob, presentJobItem } from './present-job.ts';

const retryLaterSeconds = 5;
const maxTimeoutSeconds = 3600;

/** Handlers of jobs. */
export const jobHandlers = (deps: OrderHandlerDeps) => {
  const { registry, orders } = deps;
  const findService = (call: Call): ServiceRow => findRecord(call, 'service', registry.services);
  const find = (call: Call): JobRow => {
    const { id: service = '', job = '' } = call.params;
    const row = findRecord({ scope: call.scope, params: { id: job } }, 'job', registry.jobs);
    if (parseUrn('service', row.spec.service) !== parseUrn('service', service)) throw recordNotFound(job);
    return row;
  };
  return {
    list: async (call: Call): Promise<OrdersResponse> => {
      const { id } = findService(call);
      const value = urnOf('service', id);
      const table = {
        newestFirst: (range: object = {}) =>
          registry.jobs.newestFirst({ ...range, where: { index: 'service', value } }),
      };
      const isVisible = (row: { readonly tenant: string }): boolean =>
        call.scope.tenants === 'all' || call.scope.tenants.includes(row.tenant);
      const list = { name: `services2/${id}/jobs`, columns: jobColumns, table, matcherOf: () => isVisible };
      const all = { ...call, scope: { ...call.scope, tenants: 'all' as const } };
      return ok(await listRecords(all, { ...list, present: (job: JobRow) => presentJobItem(job, call) }, deps));
    },

    get: async (call: Call): Promise<OrdersResponse> => {
      const hasRequest = readFlag('with-request-content', call.query.get('with-request-content'), true);
      const hasResult = readFlag('with-result-content', call.query.get('with-result-content'), true);
      return ok(presentJob(find(call), call, { ...registry, hasRequest, hasResult }));
    },

    /** Creates a job, and waits for its end as long as the header `Timeout` says. */
    create: async (call: Call): Promise<OrdersResponse> => {
      const service = findService(call);
      const timeoutMs = readTimeout(call.headers['timeout']) * 1000;
      const content = (await call.body.bytes()) ?? new Uint8Array();
      const contentType = call.headers['content-type'] ?? 'application/octet-stream';
      const name = call.headers['x-name'];
      const job = await createJob(orders, actorOf(call), {
        service,
        contentType,
        content,
        name: typeof name === 'string' ? name : undefined,
      });
      const ended = timeoutMs > 0 ? await untilEnded(deps, job, timeoutMs, call.signal) : undefined;
      const response = ended === undefined ? laterOf(job, call) : outputOf(deps, ended);
      return { ...response, headers: { ...response.headers, ...jobHeaders(job, call) } };
    },

    events: async (call: Call): Promise<OrdersResponse> => ({
      status: 200,
      contentType: 'text/event-stream',
      headers: { 'cache-control': 'no-store' },
      body: await openEvents(registry, find(call), call),
    }),

    output: async (call: Call): Promise<OrdersResponse> => {
      const job = find(call);
      return isEnded(job.status.status ?? 'pending') ? outputOf(deps, job) : noContent;
    },
  };
};

async function untilEnded(
  { registry }: OrderHandlerDeps,
  { id }: JobRow,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<JobRow | undefined> {
  const hasEnded = (row: JobRow | undefined): boolean => row === undefined || isEnded(row.status.status ?? 'pending');
  const stop = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  return registry.jobs.until(id, hasEnded, stop).catch(() => undefined);
}

const jobHeaders = (job: JobRow, call: Call): Readonly<Record<string, string>> => ({
  'ivcap-job-id': urnOf('job', job.id),
  'ivcap-job-url': jobHref(call, job),
  'ivcap-order-id': job.spec.order ?? '',
});

const laterOf = (job: JobRow, call: Call): OrdersResponse => ({
  status: 202,
  body: { 'job-id': urnOf('job', job.id), location: jobHref(call, job), 'retry-later': retryLaterSeconds },
  headers: { location: jobHref(call, job), 'retry-after': String(retryLaterSeconds) },
});

/** The result of a job that has ended: 400 when the service returned an error, 500 when it returned nothing. */
function outputOf(deps: OrderHandlerDeps, { id, status }: JobRow): OrdersResponse {
  const { resultContentType: contentType, resultContent: content, resultDigest: digest, errorMessage } = status;
  const isRejected = errorMessage?.startsWith(rejectionPrefix) === true;
  if (contentType !== undefined && (status.status === 'succeeded' || isRejected))
    return { status: isRejected ? 400 : 200, contentType, body: readKept(deps, { content, digest }) };
  if (status.status === 'succeeded') return noContent;
  const message = `The job ended as ${status.status ?? 'unknown'}${errorMessage === undefined ? '' : `: ${errorMessage}`}`;
  return { status: 500, body: { message, code: `job-${status.status ?? 'unknown'}`, id: urnOf('job', id) } };
}

function readTimeout(header: string | string[] | undefined): number {
  if (header === undefined || header === '') return 0;
  if (typeof header !== 'string' || !/^\d{1,9}(\.\d+)?$/.test(header))
    throw badRequest('Timeout must be a number of seconds');
  return Math.min(Number(header), maxTimeoutSeconds);
}
