import type { JsonObject } from '@chandlery/api';
import { orderStatuses } from '../../kinds/index.ts';

const text: JsonObject = { type: 'string' };
const urn: JsonObject = { type: 'string', format: 'uri' };
const time: JsonObject = { type: 'string', format: 'date-time' };
const free: JsonObject = { type: 'object', additionalProperties: true };
const texts: JsonObject = { type: 'array', items: text };
const status: JsonObject = { type: 'string', enum: [...orderStatuses] };
const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
const listOf = (items: JsonObject): JsonObject => ({ type: 'array', items });
const object = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: 'object',
  ...(required.length === 0 ? {} : { required: [...required] }),
  properties,
});
const pageOf = (item: JsonObject): JsonObject =>
  object({ items: listOf(item), links: ref('Links'), 'at-time': time }, ['items', 'links', 'at-time']);

const values = listOf(object({ name: text, value: text }, ['name', 'value']));
const times: JsonObject = { 'started-at': time, 'finished-at': time };
const orderItem: JsonObject = {
  id: urn,
  href: text,
  service: urn,
  account: urn,
  name: text,
  status,
  'ordered-at': time,
  ...times,
};
const jobItem: JsonObject = {
  id: urn,
  href: text,
  name: text,
  status,
  order: urn,
  service: urn,
  account: urn,
  'requested-at': time,
  ...times,
};

/** Schemas of orders and jobs. */
export const orderSchemas: Readonly<Record<string, JsonObject>> = {
  Workflow: free,
  OrderRequest: object(
    { service: urn, parameters: values, name: text, tags: texts, policy: urn, account: urn, execution: free },
    ['service'],
  ),
  Order: object(
    {
      ...orderItem,
      tags: texts,
      policy: urn,
      parameters: values,
      execution: free,
      'resubmit-of': urn,
      job: urn,
      'error-message': text,
      warnings: texts,
      suspended: { type: 'boolean' },
      retries: { type: 'integer' },
      runs: { type: 'integer' },
      result: free,
      products: object({ items: listOf(free), links: ref('Links') }),
      links: ref('Links'),
    },
    ['id', 'status', 'service', 'account', 'parameters', 'ordered-at', 'products', 'links'],
  ),
  OrderList: pageOf(object(orderItem, ['id', 'href', 'service', 'account', 'status'])),
  CancelRequest: object({ mode: { type: 'string', enum: ['stop', 'terminate'], default: 'stop' } }),
  ResumeRequest: object({ selector: text }),
  SetRequest: object({ selector: text, parameters: free }, ['parameters']),
  RetryRequest: object({ selector: text, 'restart-successful': { type: 'boolean' }, parameters: free }),
  UsageList: listOf(
    object({ container: text, cpu: text, memory: text, storage: text, 'ephemeral-storage': text }, ['container']),
  ),
  Job: object(
    {
      ...jobItem,
      tags: texts,
      policy: urn,
      'request-content-type': text,
      'request-content': {},
      'result-content-type': text,
      'result-content': {},
      'result-content-urn': urn,
      'error-message': text,
      products: object({ items: listOf(free), links: ref('Links') }),
      links: ref('Links'),
    },
    ['id', 'status', 'order', 'service', 'account', 'policy', 'request-content-type', 'requested-at', 'links'],
  ),
  JobList: pageOf(object(jobItem, ['id', 'href', 'status'])),
  JobLater: object({ 'job-id': urn, location: text, 'retry-later': { type: 'integer' } }, [
    'job-id',
    'location',
    'retry-later',
  ]),
};

const parameter = (
  name: string,
  place: 'query' | 'header',
  description: string,
  schema: JsonObject = text,
): readonly [string, JsonObject] => [name, { name, in: place, description, schema }];
const number: JsonObject = { type: 'number', minimum: 0 };

/** Query parameters and headers of orders and jobs. */
export const orderParameters: Readonly<Record<string, JsonObject>> = Object.fromEntries([
  parameter('Idempotency-Key', 'header', 'A repeated request with the same key and body returns the first order.'),
  parameter('Timeout', 'header', 'Seconds to wait for the result. Default 0.', number),
  parameter('Last-Event-Id', 'header', 'The number of the last event that the client has.'),
  parameter('from', 'query', 'Unix seconds.', number),
  parameter('to', 'query', 'Unix seconds.', number),
  parameter('follow', 'query', 'Continues until the order ends.', { type: 'boolean' }),
  parameter('node', 'query', 'The id of a node: the log of its containers alone.'),
  parameter('max-messages', 'query', 'The stream ends after so many events.', { type: 'integer' }),
  parameter('max-wait-time', 'query', 'Seconds to wait for the next event. Default 30.', number),
  parameter('with-request-content', 'query', 'Default true.', { type: 'boolean' }),
  parameter('with-result-content', 'query', 'Default true.', { type: 'boolean' }),
]);
