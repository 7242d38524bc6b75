import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type SecureContextOptions, type TLSSocket } from 'node:tls';

/** A server that requires a certificate, reports the peer to each caller, and can replace its own certificate. */
export interface HandshakeServer extends AsyncDisposable {
  readonly port: number;
  setContext(context: SecureContextOptions): void;
}

/** Listens on the loopback interface. */
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

/** Connects once and returns the peers that both ends saw. Rejects when either end rejects the other. */
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
