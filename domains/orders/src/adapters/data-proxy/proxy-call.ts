import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { ActionDeps, Actor } from '../../actions/action-deps.ts';
import type { OrdersActions } from '../../actions/orders-actions.ts';
import { OrdersError } from '../../errors.ts';
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
  /** The order that the container works for. */
  readonly order: OrderRow;
  /** The base URL of the order. */
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

/** Who acts for an order. */
export const actorOfOrder = ({ id, tenant }: OrderRow): Actor => ({ username: `order:${id}`, tenant });

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
