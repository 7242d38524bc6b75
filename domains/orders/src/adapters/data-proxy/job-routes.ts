import { recordEvent, recordResult } from '../../actions/jobs/job-results.ts';
import { readKept } from '../../actions/jobs/keep-content.ts';
import { jobOfOrder } from '../../actions/orders/move-order.ts';
import { recordNotFound } from '../../errors.ts';
import { isJsonObject } from '../../model/bodies/body-fields.ts';
import { isJsonType } from '../../model/jobs/request-parameters.ts';
import { isEnded } from '../../model/order-status.ts';
import { isUuid, parseUrn, urnOf } from '../../model/urns.ts';
import type { JobRow } from '../../registry/orders-registry.ts';
import { orderOfCall, type ProxyCall, type ProxyDeps, type ProxyResponse, readAll } from './proxy-call.ts';

const batchDone = { $schema: 'urn:ivcap:schema:service.batch.done.1' } as const;

/** The job of the order until it has a result, and then that there is none. */
export async function nextJob(deps: ProxyDeps, call: ProxyCall): Promise<ProxyResponse> {
  const job = jobOfOrder(deps.registry, orderOfCall(call));
  if (job === undefined || job.status.resultContentType !== undefined) return { status: 200, body: batchDone };
  const { requestContentType: type, requestContent: content } = job.spec;
  const { requestDigest: digest } = job.status;
  const pieces: Uint8Array[] = [];
  for await (const piece of readKept(deps, { content, digest })) pieces.push(piece);
  const text = Buffer.concat(pieces).toString('utf8');
  return {
    status: 200,
    body: {
      id: urnOf('job', job.id),
      'in-content-type': type,
      'in-content': isJsonType(type) && text !== '' ? (JSON.parse(text) as unknown) : text,
    },
  };
}

/** Takes over the result of a job. */
export async function postResult(deps: ProxyDeps, call: ProxyCall, id: string): Promise<ProxyResponse> {
  const job = findJob(deps, call, id);
  const isError = /^true$/i.test(String(call.headers['is-error'] ?? ''));
  const contentType = call.headers['content-type'] ?? 'application/octet-stream';
  await recordResult(deps, job.id, { contentType, content: await readAll(call), isError });
  return { status: 200, body: { id: urnOf('job', job.id) } };
}

/** Takes over an event of a job. */
export async function postEvent(deps: ProxyDeps, call: ProxyCall, id: string): Promise<ProxyResponse> {
  const job = findJob(deps, call, id);
  const text = (await readAll(call, maxEventBytes)).toString('utf8');
  const data =
    isJsonType(call.headers['content-type'] ?? 'application/json') && text !== ''
      ? (JSON.parse(text) as unknown)
      : { text };
  const schema = isJsonObject(data) ? data['$schema'] : undefined;
  await recordEvent(deps, job.id, {
    data: isJsonObject(data) ? { ...data } : { value: data },
    source: job.spec.order ?? '',
    ...(typeof schema === 'string' && { schema }),
  });
  return { status: 204 };
}

const maxEventBytes = 64 * 1024;

/** A job of the order, or of the service, by its URN or its UUID. */
function findJob({ registry }: ProxyDeps, { order, service, tenant }: ProxyCall, id: string): JobRow {
  const row = registry.jobs.get(isUuid(id) ? id : (parseUrn('job', id) ?? ''));
  const isOwn =
    service === undefined
      ? row?.tenant === tenant && row.spec.order === urnOf('order', order?.id ?? '')
      : row?.spec.service === urnOf('service', service) && !isEnded(row.status.status ?? 'pending');
  if (row === undefined || !isOwn) throw recordNotFound(id);
  return row;
}
