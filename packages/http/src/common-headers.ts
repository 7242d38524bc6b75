import type { FastifyReply, FastifyRequest } from 'fastify';

/** The headers of every answer. A lens may set others in their place. */
export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('audit-id', request.id);
  reply.header('cache-control', 'no-cache, private');
  reply.header('x-content-type-options', 'nosniff');
}

/** The headers of every answer, by their names in lower case. `audit-id` is the request's id. */
export type CommonHeaders = Readonly<Record<string, string>>;

/** The same for an answer that does not pass through the framework: sent together with its own they cost half. */
export const rawHeaders = (requestId: string): CommonHeaders => ({
  'audit-id': requestId,
  'cache-control': 'no-cache, private',
  'x-content-type-options': 'nosniff',
});
