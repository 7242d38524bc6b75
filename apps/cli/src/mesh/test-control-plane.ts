import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { signerOf } from './signer-of.ts';
import type { TestSigner } from './test-signer.ts';

/** A control plane that only completes handshakes. */
export interface TestControlPlane extends AsyncDisposable {
  /** Stays the same. */
  readonly port: number;
  /** Number of handshakes so far. */
  readonly guests: number;
  /** Trusts the current roots of the signer. */
  trust(): void;
  /** Closes all connections and stops listening. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Sends every client the root of its certificate, and keeps the connection open. */
export async function startTestControlPlane(signer: TestSigner): Promise<TestControlPlane> {
  const identity = signer.serverCertificate();
  const server = createServer({ ...identity, ca: signer.bundle(), requestCert: true, rejectUnauthorized: true });
  const sockets = new Set<TLSSocket>();
  let [port, guests] = [0, 0];
  server.on('tlsClientError', () => undefined);
  server.on('secureConnection', socket => {
    guests += 1;
    sockets.add(socket.on('error', () => undefined));
    const cert = socket.getPeerX509Certificate()?.toString() ?? '';
    socket.write(`${new X509Certificate(cert).subjectAltName} ${signerOf({ cert, ca: signer.bundle() })}`);
  });
  const start = async (): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  };
  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  };
  await start();
  return {
    port,
    get guests() {
      return guests;
    },
    trust: () => server.setSecureContext({ ...identity, ca: signer.bundle() }),
    stop,
    start,
    [Symbol.asyncDispose]: stop,
  };
}
