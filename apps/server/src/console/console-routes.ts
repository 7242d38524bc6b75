import { notServed, toError } from '@chandlery/api';
import type { HttpHost, HttpReply } from '@chandlery/http';
import type { OidcProviderConfig } from '@chandlery/platform';
import type { ConsoleBuild } from './console-build.ts';
import { type ConsoleFile, type ConsoleFiles, startPage } from './console-files.ts';
import { consoleHeaders } from './console-headers.ts';
import { progressPage } from './progress-page.ts';

export interface ConsoleRoutesDeps {
  readonly build: Pick<ConsoleBuild, 'state'>;
  readonly oidc: readonly OidcProviderConfig[];
}

const assetsFolder = 'assets/';

/** Serves the console at `/console/`: files only, no data. Every address without a file shows the start page. */
export function addConsoleRoutes({ app }: Pick<HttpHost, 'app'>, { build, oidc }: ConsoleRoutesDeps): void {
  const headers = consoleHeaders(oidc.map(({ issuer }) => issuer));
  app.get('/console', (_request, reply) => reply.redirect('/console/'));
  app.get('/console/*', (request, reply) => {
    reply.headers(headers);
    const state = build.state();
    if (state.type === 'ready') return sendFile(reply, fileOf(state.files, request.params), request.headers);
    const { status, html } = progressPage(state.type === 'failed' ? toError(state.error) : undefined);
    return reply.code(status).header('cache-control', 'no-store').type('text/html; charset=utf-8').send(html);
  });
}

interface FoundFile {
  readonly file: ConsoleFile;
  /** The names of assets contain a hash of their content. */
  readonly isImmutable: boolean;
}

function fileOf(files: ConsoleFiles, params: unknown): FoundFile {
  const { '*': path = '' } = params as { '*'?: string };
  const isImmutable = path.startsWith(assetsFolder);
  const file = files.get(path) ?? (isImmutable ? undefined : files.get(startPage));
  if (file === undefined) throw notServed();
  return { file, isImmutable };
}

function sendFile(
  reply: HttpReply,
  { file, isImmutable }: FoundFile,
  { 'accept-encoding': accepted = '' }: { readonly 'accept-encoding'?: string },
): HttpReply {
  reply
    .header('cache-control', isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache')
    .header('vary', 'accept-encoding')
    .type(file.contentType);
  const encodings = accepted.split(',').map(entry => entry.split(';')[0]?.trim());
  if (file.br !== undefined && encodings.includes('br')) return reply.header('content-encoding', 'br').send(file.br);
  if (file.gzip !== undefined && encodings.includes('gzip'))
    return reply.header('content-encoding', 'gzip').send(file.gzip);
  return reply.send(file.plain);
}
