import type { HttpHost } from '@chandlery/http';
import type { Route } from '../rest/transport/route.ts';
import { openApiDocument } from './openapi-document.ts';

/** Serves the OpenAPI document of the service manager without authentication. */
export function addOpenApi(host: HttpHost, routes: readonly Route[]): void {
  const body = JSON.stringify(openApiDocument(routes));
  host.app.get('/openapi/service-manager.json', (_request, reply) => reply.type('application/json').send(body));
}
