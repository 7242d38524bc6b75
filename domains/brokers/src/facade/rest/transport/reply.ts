import type { ServerResponse } from 'node:http';
import type { HttpRequest } from '@chandlery/http';
import type { HttpResponse } from './route.ts';

/** The part of the framework's reply that is used. */
export interface Reply {
  readonly raw: ServerResponse;
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  send(body?: unknown): unknown;
}

/** Sends callers of an address with a slash at its end to the one without, with the same method and body. True when it did. */
export function redirectsSlash({ url }: HttpRequest, reply: Reply): boolean {
  const [path = '', ...rest] = url.split('?');
  if (!path.endsWith('/')) return false;
  reply.header('location', [path.replace(/\/+$/, ''), ...rest].join('?'));
  reply.code(308);
  reply.send();
  return true;
}

/** Sends an answer. */
export function send(reply: Reply, { status, body, headers = {} }: HttpResponse, correlationId: string): void {
  reply.code(status);
  reply.header('x-correlation-id', correlationId);
  for (const [name, value] of Object.entries(headers)) reply.header(name, value);
  if (body === undefined) return void reply.send();
  reply.header('content-type', 'application/json');
  reply.send(JSON.stringify(body));
}
