import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { createCertificateAuthority, issueCertificate } from '@chandlery/platform';
import type { ConnectionOptions } from './connection.ts';

/** What the server saw of a request. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Common name of the client certificate, if there was one. */
  readonly certificateName: string | undefined;
}

export type Answer = (request: SeenRequest, response: ServerResponse) => void | Promise<void>;

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly caPem: string;
  readonly clientCertificate: { readonly certificatePem: string; readonly privateKeyPem: string };
  readonly seen: readonly SeenRequest[];
  /** A connection below `/clusters/a` with the token `secret`. */
  readonly connection: ConnectionOptions;
}

/** A real HTTPS server on a free port with scripted responses. */
export async function startTestServer(answer: Answer): Promise<TestServer> {
  const now = new Date();
  const authority = createCertificateAuthority({ commonName: 'test', now });
  const caPem = authority.certificatePem;
  const served = issueCertificate(authority, {
    commonName: 'server',
    ipAddresses: ['127.0.0.1'],
    usages: ['server'],
    now,
  });
  const client = issueCertificate(authority, { commonName: 'jane', usages: ['client'], now });
  const seen: SeenRequest[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const saw = await look(request);
    seen.push(saw);
    await answer(saw, response);
  };
  const server = createServer(
    { key: served.privateKeyPem, cert: served.certificatePem, ca: caPem, requestCert: true, rejectUnauthorized: false },
    (request, response) => void handle(request, response),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    caPem,
    clientCertificate: client,
    seen,
    connection: { server: `${url}/clusters/a`, caPem, token: 'secret' },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

async function look(request: IncomingMessage): Promise<SeenRequest> {
  const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>);
  const { CN } = (request.socket as TLSSocket).getPeerCertificate().subject ?? {};
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    headers: request.headers,
    body: Buffer.concat(chunks).toString(),
    certificateName: typeof CN === 'string' ? CN : undefined,
  };
}

/** Responds with JSON. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
