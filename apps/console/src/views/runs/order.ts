import type { KubeObject } from '@chandlery/api';
import { type ApiRequest, request, requestJson } from '../../api/request.ts';
import type { RunAction, RunState } from './run-actions.ts';

/** An order, as far as it is shown. */
export interface OrderObject extends KubeObject {
  readonly spec: {
    readonly service: string;
    readonly name?: string;
    readonly parameters?: readonly NamedValue[];
    readonly execution?: { readonly type?: string };
    readonly resubmitOf?: string;
    readonly instance?: string;
  };
  readonly status?: {
    readonly status?: string;
    readonly errorMessage?: string;
    readonly orderer?: string;
    readonly orderedAt?: string;
    readonly startedAt?: string;
    readonly finishedAt?: string;
    readonly warnings?: readonly string[];
    readonly workflow?: { readonly namespace: string; readonly name: string; readonly cluster?: string };
    readonly shutdown?: 'stop' | 'terminate';
    readonly suspended?: boolean;
    readonly retries?: number;
    readonly arguments?: readonly NamedValue[];
    readonly result?: unknown;
  };
}

export interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** An artifact, as lists of products have it. */
export interface Product {
  readonly id: string;
  readonly name?: string;
  readonly status: string;
  readonly size?: number;
  readonly 'mime-type'?: string;
  readonly 'created-at'?: string;
}

const ended: readonly string[] = ['succeeded', 'failed', 'error', 'cancelled'];

export const statusOf = ({ status }: OrderObject): string => status?.status ?? 'pending';

/** Lists name such orders by their service, and by the same part of the id. */
export const titleOf = ({ metadata: { name = '' }, spec }: OrderObject): string =>
  spec.name ?? `Order ${name.slice(0, 8)}`;

export const isEndedOrder = (order: OrderObject): boolean => ended.includes(statusOf(order));

/** What decides which actions are possible. `hasSuspendedNodes`: nodes wait to be resumed. */
export function stateOfOrder(order: OrderObject, hasSuspendedNodes: boolean): RunState {
  const { workflow, suspended = false, shutdown } = order.status ?? {};
  return {
    isEnded: isEndedOrder(order),
    hasSucceeded: statusOf(order) === 'succeeded',
    isStarted: workflow !== undefined,
    isSuspended: suspended || hasSuspendedNodes,
    shutdown,
    isStanding: order.spec.execution?.type === 'standing',
  };
}

/** A part of an order in the REST API. */
function orderRequest(
  { metadata: { namespace = '', name = '' } }: OrderObject,
  part: string,
  { query, ...rest }: ApiRequest = {},
): readonly [path: string, options: ApiRequest] {
  return [`/1/orders/urn:ivcap:order:${name}/${part}`, { ...rest, query: { ...query, namespace } }];
}

/** Each state of the Workflow of an order as a line, until the order has ended. */
export const openWorkflow = (order: OrderObject, signal: AbortSignal): Promise<Response> =>
  request(...orderRequest(order, 'workflow', { query: { follow: true }, signal }));

/** The log of an order, or of one of its nodes, followed. */
export const openLog = (order: OrderObject, node: string | undefined, signal: AbortSignal): Promise<Response> =>
  request(...orderRequest(order, 'logs', { query: { follow: true, node }, signal }));

const maxProducts = 50;

export const readProducts = async (order: OrderObject, signal: AbortSignal): Promise<readonly Product[]> =>
  (
    await requestJson<{ readonly items: readonly Product[] }>(
      ...orderRequest(order, 'products', { query: { limit: maxProducts }, signal }),
    )
  ).items;

/** The bytes of a product. */
export const readProduct = async ({ id }: Product, namespace: string): Promise<Blob> =>
  (await request(`/1/artifacts/${encodeURIComponent(id)}/blob`, { query: { namespace } })).blob();

/** The name of a service. */
export const readServiceName = async (urn: string, namespace: string, signal: AbortSignal): Promise<string> =>
  (
    await requestJson<{ readonly name?: string }>(`/1/services2/${encodeURIComponent(urn)}`, {
      query: { namespace },
      signal,
    })
  ).name ?? urn;

const parts: Readonly<Record<RunAction, readonly [part: string, body?: object]>> = {
  retry: ['retry', {}],
  resume: ['resume', {}],
  suspend: ['suspend'],
  stop: ['cancel', { mode: 'stop' }],
  terminate: ['cancel', { mode: 'terminate' }],
  resubmit: ['resubmit'],
};

/** Asks for an action. Returns the UUID of the order that it concerns: of a new one for resubmit. */
export async function controlOrder(order: OrderObject, action: RunAction, change: object = {}): Promise<string> {
  const [part, body] = parts[action];
  const [path, options] = orderRequest(order, part, {
    method: 'POST',
    ...(body !== undefined && { body: { ...body, ...change } }),
  });
  const { id } = await requestJson<{ readonly id: string }>(path, options);
  return id.replace(/^.*:/, '');
}
