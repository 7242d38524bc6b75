import { Compile } from 'typebox/schema';
import { badRequest, invalidField, recordNotFound } from '../../errors.ts';
import { isJsonObject, type Json, withoutUndefined } from '../../model/bodies/body-fields.ts';
import { isJsonType, requestParameters } from '../../model/jobs/request-parameters.ts';
import { normalizeSchema } from '../../model/schema-names.ts';
import { parseUrn, urnOf } from '../../model/urns.ts';
import { createRow, type JobRow, type OrdersWrite, type ServiceRow } from '../../registry/orders-registry.ts';
import type { Actor } from '../action-deps.ts';
import { orderWrites } from '../orders/create-order.ts';
import { statement } from '../orders/order-aspects.ts';
import type { OrderDeps } from '../orders/order-deps.ts';
import { keepContent } from './keep-content.ts';

/** A request to a service. */
export interface NewJob {
  readonly service: ServiceRow;
  readonly contentType: string;
  readonly content: Uint8Array;
  readonly name?: string | undefined;
  readonly policy?: string | undefined;
}

interface JobRequest extends Pick<NewJob, 'contentType' | 'content'> {
  /** The URN of the aspect that it comes from. */
  readonly aspect?: string;
  /** Undefined when it is no JSON. */
  readonly json: unknown;
}

const inputSchema = 'urn:ivcap:schema:job.input.1';

/** Creates a job and the order that executes it. Throws the errors of an order. */
export async function createJob(deps: OrderDeps, actor: Actor, given: NewJob): Promise<JobRow> {
  const { registry, budget } = deps;
  budget.checkRecords(actor.tenant);
  const request = resolveRequest(deps, actor, given);
  checkSchema(given.service, request.json);
  const [job, order] = [registry.newId(), registry.newId()];
  const { service, name, policy } = given;
  const parameters = requestParameters(service.spec.parameters ?? [], request.json);
  const ordered = orderWrites(deps, actor, { id: order, service, parameters, name, policy, job: urnOf('job', job) });
  await keepContent(deps, request, stored =>
    registry.commit([...jobWrites(deps, actor, { job, order, given, request, stored }), ...ordered]),
  );
  const row = registry.jobs.get(job);
  if (row === undefined) throw recordNotFound(urnOf('job', job));
  return row;
}

interface JobParts {
  readonly job: string;
  readonly order: string;
  readonly given: NewJob;
  readonly request: JobRequest;
  readonly stored: { readonly content?: string; readonly digest?: string; readonly size: number };
}

function jobWrites({ registry }: OrderDeps, { tenant, username }: Actor, parts: JobParts): readonly OrdersWrite[] {
  const { job, order, given, request, stored } = parts;
  const spec = withoutUndefined({
    service: urnOf('service', given.service.id),
    order: urnOf('order', order),
    name: given.name,
    policy: given.policy,
    requestContentType: request.contentType,
    requestContent: stored.content,
    requestAspect: request.aspect,
  });
  const requestedAt = registry.now();
  const status = withoutUndefined({
    status: 'pending' as const,
    requestedAt,
    requester: username,
    requestDigest: stored.digest,
    requestSize: stored.size,
    lastEvent: 1,
  });
  const entity = urnOf('job', job);
  const data = { 'job-urn': entity, status: 'pending' };
  return [
    createRow({ table: 'jobs', id: job, tenant, spec, status }),
    createRow({
      table: 'jobEvents',
      id: `${job}.1`,
      tenant,
      spec: { job, sequence: 1, type: 'ivcap.job.status', timestamp: requestedAt, data },
    }),
    statement(registry, { tenant, entity, schema: 'job.2', content: { 'job-id': entity, 'order-id': spec.order } }),
  ];
}

/** The request itself, or the aspect that it names. */
function resolveRequest({ registry }: OrderDeps, { tenant }: Actor, { contentType, content }: NewJob): JobRequest {
  const json = isJsonType(contentType) && content.length > 0 ? parse(content) : undefined;
  const schema = isJsonObject(json) ? json['$schema'] : undefined;
  if (typeof schema !== 'string' || normalizeSchema(schema) !== inputSchema) return { contentType, content, json };
  const urn = (json as Json)['request-aspect'];
  const row = typeof urn === 'string' ? registry.aspects.get(parseUrn('aspect', urn) ?? '') : undefined;
  if (row?.tenant !== tenant || row.status.validTo !== undefined)
    throw invalidField('request-aspect', `There is no ${String(urn)}`, urn);
  const text = JSON.stringify(row.spec.content);
  const type = row.spec.contentType ?? 'application/json';
  return { contentType: type, content: Buffer.from(text), json: row.spec.content, aspect: String(urn) };
}

function parse(content: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(content).toString('utf8'));
  } catch (error) {
    throw badRequest(`The body is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function checkSchema({ spec }: ServiceRow, request: unknown): void {
  if (spec.requestSchema === undefined || request === undefined) return;
  const [, errors] = Compile(spec.requestSchema as object).Errors(request);
  const [error] = errors;
  if (error === undefined) return;
  const name = error.instancePath.split('/').slice(1).join('.') || 'body';
  throw invalidField(name, `${name} ${error.message}, as the request-schema of the service says`);
}
