import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { ActionDeps, Actor } from '../../actions/action-deps.ts';
import type { OrdersActions } from '../../actions/orders-actions.ts';
import { badRequest, OrdersError } from '../../errors.ts';
import type { FetchExternal } from '../../order-ports.ts';
import type { OrderRow } from '../../registry/orders-registry.ts';

/** What the routes of the proxy work on. */
export interface ProxyDeps extends ActionDeps {
  readonly actions: OrdersActions;
  readonly fetchExternal: FetchExternal;
}

/** A request of a container. */
export interface ProxyCall {
  readonly method: string;
  /** Decoded segments after the token. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly tenant: string;
  /** The order that the container works for. Undefined: the process of a service, which has not said for which job. */
  readonly order: OrderRow | undefined;
  /** The UUID of the service whose process it is. Undefined: a container of an order. */
  readonly service: string | undefined;
  /** The base URL, with the token. */
  readonly base: string;
  readonly stream: AsyncIterable<Uint8Array>;
  readonly length: number | undefined;
  readonly signal: AbortSignal;
}

/** What is sent back. */
export interface ProxyResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: object | AsyncIterable<Uint8Array>;
}

/** Who acts by a request. */
export const actorOfCall = ({ order, service, tenant }: ProxyCall): Actor => ({
  username: order === undefined ? `service:${service ?? ''}` : `order:${order.id}`,
  tenant,
});

/** Returns the order that a request is for. Throws `bad-request` when the process of a service has not named its job. */
export function orderOfCall({ order }: ProxyCall): OrderRow {
  if (order !== undefined) return order;
  throw badRequest('Name the job that this is for in the header Job-Id');
}

const maxBodyBytes = 16 * 1024 * 1024;

/** Reads a whole body. Throws `too-large`. */
export async function readAll({ stream }: Pick<ProxyCall, 'stream'>, maxBytes = maxBodyBytes): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of stream) {
    size += piece.length;
    if (size > maxBytes) throw new OrdersError('too-large', `The body is larger than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Sends a response; a HEAD gets none of its body. */
export async function sendResponse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers = {}, body }: ProxyResponse,
): Promise<void> {
  const isStream = typeof body === 'object' && Symbol.asyncIterator in body;
  const text = body === undefined || isStream ? '' : JSON.stringify(body);
  response.writeHead(status, { ...(text !== '' && { 'content-type': 'application/json' }), ...headers });
  if (request.method === 'HEAD' || !isStream) return void response.end(request.method === 'HEAD' ? '' : text);
  await pipeline(body, response);
}
