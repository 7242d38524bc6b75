import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { signerOf } from './signer-of.ts';
import type { TestSigner } from './test-signer.ts';

/** A control plane that only shakes hands. */
export interface TestControlPlane extends AsyncDisposable {
  /** Stays the same. */
  readonly port: number;
  /** How many have shaken hands so far. */
  readonly guests: number;
  /** Believes the roots that the signer has by now. */
  trust(): void;
  /** Cuts everybody off; nobody listens then. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Tells everybody who connects which root signed for whom, and keeps the connection. */
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
