import type { RouteDocument } from '@chandlery/http';
import { ordersKinds } from '../../kinds/index.ts';
import type { proxyHandlers } from '../handlers/hosting/proxy-handlers.ts';
import type { jobHandlers } from '../handlers/jobs/job-handlers.ts';
import type { orderHandlers } from '../handlers/orders/order-handlers.ts';
import type { orderPartsHandlers } from '../handlers/orders/order-parts-handlers.ts';
import type { RouteAccess } from '../handlers/route-access.ts';
import type { OrdersRoute } from './route.ts';

/** What the routes of orders and jobs lead to. */
export interface OrderHandlers {
  readonly orders: ReturnType<typeof orderHandlers>;
  readonly parts: ReturnType<typeof orderPartsHandlers>;
  readonly jobs: ReturnType<typeof jobHandlers>;
  readonly proxy: ReturnType<typeof proxyHandlers>;
}

const need = (table: 'orders' | 'jobs' | 'services', verb: RouteAccess['verb']): RouteAccess => ({
  resource: ordersKinds[table].plural,
  verb,
});

const paged = ['limit', 'page', 'order-by', 'order-desc'];
const listed = [...paged, 'filter', 'at-time'];

/** The routes of orders and jobs. */
export const orderRoutes = ({ orders, parts, jobs, proxy }: OrderHandlers): readonly OrdersRoute[] => [
  ...recordRoutes(orders),
  ...controlRoutes(orders),
  ...partRoutes(parts),
  ...jobRoutes(jobs),
  ...proxyRoutes(proxy),
];

const tag = 'orders';
const path = '/1/orders';

const recordRoutes = (orders: OrderHandlers['orders']): readonly OrdersRoute[] => [
  {
    method: 'GET',
    path,
    access: need('orders', 'list'),
    document: { tag, summary: 'Lists orders', parameters: listed, responses: { 200: 'OrderList' } },
    handle: orders.list,
  },
  {
    method: 'POST',
    path,
    access: need('orders', 'create'),
    document: {
      tag,
      summary: 'Orders a service',
      parameters: ['Idempotency-Key'],
      body: 'OrderRequest',
      responses: { 200: 'Order' },
    },
    handle: orders.create,
  },
  {
    method: 'GET',
    path: `${path}/{id}`,
    access: need('orders', 'get'),
    document: { tag, summary: 'Returns an order', parameters: ['at-time'], responses: { 200: 'Order' } },
    handle: orders.get,
  },
];

function controlRoutes(orders: OrderHandlers['orders']): readonly OrdersRoute[] {
  const control = (
    name: 'cancel' | 'suspend' | 'resume' | 'set' | 'retry' | 'resubmit',
    summary: string,
    { body, verb = 'update' }: { readonly body?: string; readonly verb?: RouteAccess['verb'] } = {},
  ): OrdersRoute => ({
    method: 'POST',
    path: `${path}/{id}/${name}`,
    access: need('orders', verb),
    document: { tag, summary, ...(body !== undefined && { body }), responses: { 200: 'Order' } },
    handle: orders[name],
  });
  return [
    control('cancel', 'Cancels an order', { body: 'CancelRequest' }),
    control('suspend', 'Starts nothing new of an order until it is resumed'),
    control('resume', 'Continues an order, or nodes of it that are suspended', { body: 'ResumeRequest' }),
    control('set', 'Sets outputs of suspended nodes', { body: 'SetRequest' }),
    control('retry', 'Starts a failed order again from its failures', { body: 'RetryRequest' }),
    control('resubmit', 'Places the same order again', { verb: 'create' }),
  ];
}

function partRoutes(parts: OrderHandlers['parts']): readonly OrdersRoute[] {
  const part = (name: keyof OrderHandlers['parts'], document: Omit<RouteDocument, 'tag'>): OrdersRoute => ({
    method: 'GET',
    path: `${path}/{id}/${name}`,
    access: need('orders', 'get'),
    document: { tag, ...document },
    handle: parts[name],
  });
  return [
    part('products', {
      summary: 'Lists the artifacts that an order made',
      parameters: paged,
      responses: { 200: 'ArtifactList' },
    }),
    part('metadata', { summary: 'Lists the aspects of an order', parameters: paged, responses: { 200: 'AspectList' } }),
    part('logs', {
      summary: 'Returns what the containers of an order printed',
      parameters: ['from', 'to', 'follow', 'node'],
      responses: { 200: 'bytes' },
    }),
    part('workflow', {
      summary: 'Returns the Workflow that executes an order; with follow a line of JSON for each of its states',
      parameters: ['follow'],
      responses: { 200: 'Workflow' },
    }),
    part('top', { summary: 'Returns what the containers of an order use', responses: { 200: 'UsageList' } }),
  ];
}

function jobRoutes(jobs: OrderHandlers['jobs']): readonly OrdersRoute[] {
  const all = '/1/services2/{id}/jobs';
  const one = `${all}/{job}` as const;
  const jobTag = 'jobs';
  return [
    {
      method: 'GET',
      path: all,
      access: need('jobs', 'list'),
      document: { tag: jobTag, summary: 'Lists jobs of a service', parameters: listed, responses: { 200: 'JobList' } },
      handle: jobs.list,
    },
    {
      method: 'POST',
      path: all,
      access: need('jobs', 'create'),
      document: {
        tag: jobTag,
        summary: 'Sends a job to a service',
        parameters: ['Timeout', 'X-Name'],
        body: 'bytes',
        responses: { 200: 'bytes', 202: 'JobLater' },
      },
      handle: jobs.create,
    },
    {
      method: 'GET',
      path: one,
      access: need('jobs', 'get'),
      document: {
        tag: jobTag,
        summary: 'Returns a job',
        parameters: ['with-request-content', 'with-result-content'],
        responses: { 200: 'Job' },
      },
      handle: jobs.get,
    },
    {
      method: 'GET',
      path: `${one}/events`,
      access: need('jobs', 'get'),
      document: {
        tag: jobTag,
        summary: 'Follows the events of a job (server-sent events)',
        parameters: ['Last-Event-Id', 'max-messages', 'max-wait-time'],
        responses: { 200: 'bytes' },
      },
      handle: jobs.events,
    },
    {
      method: 'GET',
      path: `${one}/output`,
      access: need('jobs', 'get'),
      document: { tag: jobTag, summary: 'Returns the result of a job', responses: { 200: 'bytes', 204: '' } },
      handle: jobs.output,
    },
  ];
}

/** The right to create jobs includes requests that change something; others may read. */
export const proxyWriteAccess = need('jobs', 'create');

function proxyRoutes({ forward }: OrderHandlers['proxy']): readonly OrdersRoute[] {
  const methods = ['GET', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
  return methods.map(method => {
    const isRead = method === 'GET' || method === 'OPTIONS';
    return {
      method,
      path: '/1/services2/{id}/proxy/{path}',
      access: isRead ? need('services', 'get') : proxyWriteAccess,
      document: {
        tag: 'proxy',
        summary: 'Passes a request on to the process of a service',
        ...(!isRead && { body: 'bytes' }),
        responses: { 200: 'bytes' },
      },
      handle: forward,
    };
  });
}
