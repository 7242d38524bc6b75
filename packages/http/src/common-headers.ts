import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The headers of every answer. A lens may set others in their place. */
export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('audit-id', request.id);
  reply.header('cache-control', 'no-cache, private');
  reply.header('x-content-type-options', 'nosniff');
}

/** The same for an answer that does not pass through the framework. */
export function setRawHeaders(response: ServerResponse, requestId: string): void {
  response.setHeader('audit-id', requestId);
  response.setHeader('cache-control', 'no-cache, private');
  response.setHeader('x-content-type-options', 'nosniff');
}
