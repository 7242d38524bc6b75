import type { ServerResponse } from 'node:http';
import type { HttpRequest } from '@chandlery/http';
import { type ProductNames, productNames } from '../../model/product-names.ts';
import type { FleetResponse } from '../handlers/call.ts';

/** Products cannot have it as an id: its paths are for operators of the landscape. */
export const landscapeId = 'fleet';

/** The part of the framework's reply that is used. */
export interface Reply {
  readonly raw: ServerResponse;
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  send(body?: unknown): unknown;
}

/** Sends a response. */
export function send(reply: Reply, { status, body, contentType = 'application/json' }: FleetResponse): void {
  reply.code(status);
  if (body === undefined) return void reply.send();
  reply.header('content-type', contentType);
  reply.send(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Headers of every response. */
export const commonHeaders = (operationId: string): Readonly<Record<string, string>> => ({
  'x-operation-id': operationId,
  vary: 'Authorization',
  // Tokens are in a header that no browser adds by itself, so pages of any origin may call.
  'access-control-allow-origin': '*',
});

const preflightHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'DELETE, GET, PATCH, POST',
  'access-control-allow-headers': 'Authorization, Content-Type',
  'access-control-max-age': '600',
};

/** Whether a browser asks what a page of another origin may send. It has no token for that. */
export const isPreflight = ({ method, headers }: HttpRequest): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;

/** States what pages of other origins may send. */
export function sendPreflight(reply: Reply): void {
  for (const [name, value] of Object.entries(preflightHeaders)) reply.header(name, value);
  send(reply, { status: 200 });
}

/** Returns a signal that is aborted when the client disconnects. */
export function closingSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  return gone.signal;
}

/** The path of a request, without its query. */
export const pathOf = ({ url }: HttpRequest): string => url.split('?')[0] ?? '';

/** The names in errors, also where there is no such product. */
export function namesOf(request: HttpRequest): ProductNames {
  const [, id = landscapeId] = /^\/api\/(\w+?)_mgmt(\/|$)/.exec(pathOf(request)) ?? [];
  return productNames({ id, kind: '' });
}
