import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createCertificateAuthority, issueCertificate } from '@chandlery/platform';
import { createHttpHost, type HttpHost, type HttpHostOptions } from './http-host.ts';
import { silentLogger } from './logger.ts';

// Helpers for the tests of this folder.

export interface TestHost extends AsyncDisposable {
  readonly host: HttpHost;
  readonly port: number;
  readonly url: string;
}

/** A host that listens on plain HTTP, closed at the end of the block. */
export async function startTestHost(
  addRoutes: (host: HttpHost) => void = () => {},
  options: Partial<HttpHostOptions> = {},
): Promise<TestHost> {
  const host = createHttpHost({ logger: silentLogger, readiness: async () => [], ...options });
  addRoutes(host);
  const { port } = await host.listenPlain({ port: 0 });
  return { host, port, url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => host.close({ graceMs: 0 }) };
}

/** A bare connection that has sent `text`. */
export async function sendRaw(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

/** Everything that comes until the other side closes. */
export async function readAll(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', chunk => {
    text += chunk.toString('latin1');
  });
  if (!socket.closed) await once(socket, 'close');
  return text;
}

/** Makes a host listen with a certificate of an authority of its own. */
export async function listenTls(host: HttpHost): Promise<{ port: number; ca: string }> {
  const now = new Date();
  const authority = createCertificateAuthority({ commonName: 'test', now });
  const { certificatePem: cert, privateKeyPem: key } = issueCertificate(authority, {
    commonName: 'server',
    ipAddresses: ['127.0.0.1'],
    usages: ['server'],
    now,
  });
  const { port } = await host.listen({ host: '127.0.0.1', port: 0, tls: { cert, key } });
  return { port, ca: authority.certificatePem };
}
