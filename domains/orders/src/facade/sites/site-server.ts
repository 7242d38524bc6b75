import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HttpHost, hostNameOf, httpStatusOf, type RenderedError } from '@chandlery/http';
import type { SiteDirectory } from '../../actions/sites/site-directory.ts';
import { OrdersError } from '../../errors.ts';
import { findPage } from '../../model/sites/find-page.ts';
import type { SiteFile, SiteStore } from '../../ports.ts';
import { fileResponse } from './file-response.ts';

export interface SiteServerDeps {
  readonly host: HttpHost;
  readonly directory: Pick<SiteDirectory, 'claims' | 'find'>;
  readonly sites: Pick<SiteStore, 'open' | 'read'>;
}

/** A request and its response. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** What is sent of a file. */
interface ChosenFile {
  readonly digest: string;
  readonly path: string;
  readonly file: SiteFile;
}

/** Headers of all responses: a browser asks again, and takes the type as it is. None has a cookie or a name of the landscape. */
const commonHeaders = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache', vary: 'Accept' } as const;

/** Serves the sites by the header `Host`, without authentication, apart from all routes of the landscape. */
export function serveSites(deps: SiteServerDeps): void {
  const { host, directory } = deps;
  host.addVirtualHost({
    claims: name => directory.claims(name),
    routeClass: 'site',
    handler: (request, response) => serve(deps, { request, response }),
    renderError: error => plainError(httpStatusOf(error), 'The site cannot be shown.'),
  });
}

async function serve(deps: SiteServerDeps, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  const { method, url = '/', headers } = request;
  const name = hostNameOf(request);
  deps.host.identify(response, `site:${name}`);
  const site = deps.directory.find(name);
  if (site === undefined) return sendText(exchange, 404, 'There is no such site.');
  if (method !== 'GET' && method !== 'HEAD')
    return sendText(exchange, 405, 'Sites can only be read.', { allow: 'GET, HEAD' });
  const { digest, fallback } = site;
  const archive = digest === undefined ? undefined : await openArchive(deps, digest);
  if (digest === undefined || archive === undefined)
    return sendText(exchange, 503, 'The files of the site cannot be read.', { 'retry-after': '30' });
  const page = findPage(archive, { url, accept: headers.accept, fallback });
  switch (page.type) {
    case 'file':
      return sendFile(deps, exchange, { ...page, digest });
    case 'redirect':
      return sendText(exchange, 301, 'The folder has a slash at its end.', { location: page.location });
    case 'missing':
      return sendText(exchange, 404, 'There is no such page.');
    case 'malformed':
      return sendText(exchange, 400, 'The path cannot be decoded.');
  }
}

/** Returns the files of an archive; undefined when its bytes no longer exist, or were stored without being checked. */
async function openArchive({ sites }: SiteServerDeps, digest: string) {
  try {
    return await sites.open(digest);
  } catch (error) {
    if (error instanceof OrdersError || (error as { code?: string }).code === 'NotFound') return undefined;
    throw error;
  }
}

async function sendFile(deps: SiteServerDeps, exchange: Exchange, { digest, path, file }: ChosenFile): Promise<void> {
  const { request, response } = exchange;
  const { status, headers, range } = fileResponse(path, file, request.headers);
  const pieces =
    range === undefined || request.method === 'HEAD' ? undefined : await deps.sites.read(digest, file, range);
  response.writeHead(status, { ...commonHeaders, ...headers });
  if (pieces === undefined) response.end();
  else await deps.host.sendRawPieces(response, pieces);
}

function sendText(
  { request, response }: Exchange,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const { body, contentType = '' } = plainError(status, text);
  const length = { 'content-type': contentType, 'content-length': String(Buffer.byteLength(body)) };
  response.writeHead(status, { ...commonHeaders, ...length, ...headers });
  response.end(request.method === 'HEAD' ? undefined : body);
}

const plainError = (status: number, text: string): RenderedError => ({
  status,
  body: `${text}\n`,
  contentType: 'text/plain; charset=utf-8',
});
