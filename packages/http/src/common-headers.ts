import type { FastifyReply, FastifyRequest } from 'fastify';

/** The headers of every answer. A lens may set others in their place. */
export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('audit-id', request.id);
  reply.header('cache-control', 'no-cache, private');
  reply.header('x-content-type-options', 'nosniff');
}
