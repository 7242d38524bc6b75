import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KindDeclaration, KubeObject } from '@chandlery/api';
import { DiscoveryDocuments } from '../discovery/discovery-documents.ts';
import type { KindSource } from '../discovery/discovery-groups.ts';
import type { RenderedDocument } from '../discovery/rendered-document.ts';
import { negotiate } from '../negotiate.ts';
import { renderTable, type TableColumns } from '../table/table.ts';
import { OpenapiDocuments } from './openapi-documents.ts';

/** For tests: what kubectl needs to see of a cluster's documents, with a few objects that are shown but not kept. */
export interface TestServer extends AsyncDisposable {
  readonly url: string;
  /** Method and path of every request so far. */
  readonly requests: readonly string[];
}

export interface TestServerOptions {
  readonly kinds: KindSource;
  readonly reviews: readonly KindDeclaration[];
  readonly prefix: string;
  readonly objects: readonly KubeObject[];
  readonly columns: TableColumns;
}

export async function startTestServer(options: TestServerOptions): Promise<TestServer> {
  const requests: string[] = [];
  const answer = answerer(options);
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    void answer(request, response);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${options.prefix}`,
    requests,
    [Symbol.asyncDispose]: () => close(server),
  };
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
}

function answerer({ kinds, reviews, prefix, objects, columns }: TestServerOptions) {
  const discovery = new DiscoveryDocuments({ reviews });
  const openapi = new OpenapiDocuments({ reviews });
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const path = url.pathname.slice(prefix.length);
    const document = findDocument(request, path, url.searchParams.get('hash') ?? undefined);
    if (document !== undefined) return sendDocument(response, document);
    if (request.method !== 'GET') return sendJson(response, 201, JSON.parse(await bodyOf(request)));
    const found = objects.filter(({ metadata }) => path.endsWith(`/${metadata.name}`));
    const isList = path.endsWith('/crontabs');
    if (!isList && found.length === 0) return sendJson(response, 404, notFound);
    const items = isList ? objects : found;
    if (negotiate(request.headers.accept, 'resource')?.as !== 'table') return sendJson(response, 200, items[0]);
    const now = new Date('2026-03-01T12:00:00Z');
    sendJson(response, 200, renderTable({ version: columns, items, includeObject: 'Metadata', now }));
  };

  function findDocument(request: IncomingMessage, path: string, hash?: string): RenderedDocument | undefined {
    const negotiated = negotiate(request.headers.accept, 'discovery');
    const [, root, group = '', version = '', ...rest] = path.split('/');
    const aggregated = negotiated?.as === 'aggregatedDiscovery' ? (negotiated.version as 'v2') : undefined;
    if (path === '/api' || path === '/apis') return discovery.root(kinds, path, aggregated);
    if (path === '/api/v1') return discovery.groupVersion(kinds, '', 'v1');
    if (root === 'apis' && rest.length === 0) return discovery.groupVersion(kinds, group, version);
    if (path === '/openapi/v3') return openapi.index(kinds);
    if (path === '/openapi/v3/api/v1') return openapi.groupVersion(kinds, '', 'v1', hash);
    if (path.startsWith('/openapi/v3/apis/')) return openapi.groupVersion(kinds, rest[0] ?? '', rest[1] ?? '', hash);
    return undefined;
  }
}

const notFound = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  reason: 'NotFound',
  code: 404,
  message: 'not found',
};

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

function sendJson(response: ServerResponse, code: number, content: unknown): void {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(content));
}

function sendDocument(response: ServerResponse, { body, contentType, etag }: RenderedDocument): void {
  response.writeHead(200, { 'content-type': contentType, etag, vary: 'Accept' }).end(body);
}
