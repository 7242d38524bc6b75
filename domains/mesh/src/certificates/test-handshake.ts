import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type SecureContextOptions, type TLSSocket } from 'node:tls';

/** A server that demands a certificate, tells each caller whom it saw, and can change its own. */
export interface HandshakeServer extends AsyncDisposable {
  readonly port: number;
  setContext(context: SecureContextOptions): void;
}

/** Serves on the loopback. */
export async function serveOnce(context: SecureContextOptions): Promise<HandshakeServer> {
  const server = createServer({ ...context, requestCert: true, rejectUnauthorized: true }, socket => {
    socket.on('error', () => undefined);
    socket.end(altNameOf(socket));
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    setContext: changed => server.setSecureContext(changed),
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
}

/** Calls once and answers whom each end saw. Rejects when either end does not believe the other. */
export async function callOnce(
  port: number,
  context: SecureContextOptions,
): Promise<{ server: string; client: string }> {
  const socket = connect({ ...context, host: '127.0.0.1', port, checkServerIdentity: () => undefined });
  try {
    await once(socket, 'secureConnect');
    const server = altNameOf(socket);
    let client = '';
    for await (const piece of socket) client += String(piece);
    return { server, client };
  } finally {
    socket.destroy();
  }
}

const altNameOf = (socket: TLSSocket): string => socket.getPeerX509Certificate()?.subjectAltName ?? '';
