import { constants } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, type SecureContextOptions, type Server, type TLSSocket } from 'node:tls';
import { acceptedCiphers } from '@chandlery/http';
import type { Logger } from '@chandlery/platform';
import type { MeshAuthority, ServerCertificate } from '../../ports.ts';
import type { SecuredSocket } from './connection.ts';

export interface SecureListenerOptions {
  readonly host: string;
  readonly port: number;
  /** Names and addresses by which clients reach this server. */
  readonly names: readonly string[];
  readonly authority: MeshAuthority;
  readonly logger: Logger;
  /** Called with a client that negotiated HTTP/2. */
  readonly onHttp2: (client: SecuredSocket) => void;
  /** Called with a client that negotiated HTTP/1.1 or nothing. */
  readonly onHttp1: (client: SecuredSocket) => void;
}

const handshakeTimeoutMs = 10_000;

/**
 * The TLS listener. It requests client certificates, but also accepts clients without one, so that these get a proper
 * error. New server certificates and roots apply from the next handshake on; open connections are not affected.
 */
export class SecureListener implements AsyncDisposable {
  readonly #options: SecureListenerOptions;
  readonly #server: Server;
  readonly #unsubscribe: () => void;
  /** All sockets, including those in the handshake. */
  readonly #sockets = new Set<Socket>();
  #certificate: ServerCertificate;
  #trustBundle: string;
  /** When the roots last changed: handshakes that began earlier used the former roots. */
  #trustChangedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: SecureListenerOptions) {
    this.#options = options;
    this.#certificate = options.authority.serverCertificate(options.names);
    this.#trustBundle = options.authority.trustBundle;
    this.#server = createServer({
      ...this.#context(),
      requestCert: true,
      rejectUnauthorized: false,
      ALPNProtocols: ['h2', 'http/1.1'],
      handshakeTimeout: handshakeTimeoutMs,
    });
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    this.#server.on('secureConnection', socket => this.#onConnection(socket));
    this.#server.on('tlsClientError', error => {
      options.logger.debug('TLS handshake failed', { why: error.message });
    });
    this.#unsubscribe = options.authority.subscribe(() => this.refresh());
  }

  /** Resolves with the port. Rejects when the port is in use. */
  async listen(): Promise<number> {
    this.#server.listen(this.#options.port, this.#options.host);
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /**
   * Applies the current certificate and roots of the authority. To be called periodically, because the renewal of a
   * certificate triggers no notification.
   */
  refresh(): void {
    try {
      this.#takeOver();
    } catch (error) {
      this.#options.logger.error('cannot apply a new certificate or new roots; the old ones are kept', { error });
    }
  }

  /** Closes all connections. */
  closeAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Stops listening. Resolves when all clients have disconnected. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    if (!this.#server.listening) return;
    await new Promise<void>(resolve => {
      this.#server.close(() => resolve());
    });
  }

  #takeOver(): void {
    const { authority, names } = this.#options;
    const certificate = authority.serverCertificate(names);
    if (certificate === this.#certificate && authority.trustBundle === this.#trustBundle) return;
    this.#certificate = certificate;
    if (authority.trustBundle !== this.#trustBundle) this.#trustChangedAtMs = performance.now();
    this.#trustBundle = authority.trustBundle;
    this.#server.setSecureContext(this.#context());
  }

  /** Session tickets are disabled: a resumed session would skip the verification of the certificate. */
  #context(): SecureContextOptions {
    return {
      cert: this.#certificate.chain,
      key: this.#certificate.privateKey,
      ca: this.#trustBundle,
      minVersion: 'TLSv1.2',
      ciphers: acceptedCiphers,
      secureOptions: constants.SSL_OP_NO_TICKET,
    };
  }

  #onConnection(socket: TLSSocket): void {
    socket.on('error', error => this.#options.logger.debug('connection failed', { why: error.message }));
    socket.setNoDelay(true);
    const verifiedBundle = this.#verifiedBundle(socket);
    const client = { socket, ...(verifiedBundle === undefined ? {} : { verifiedBundle }) };
    if (socket.alpnProtocol === 'h2') this.#options.onHttp2(client);
    else this.#options.onHttp1(client);
  }

  #verifiedBundle(socket: TLSSocket): string | undefined {
    const isSettled = performance.now() - this.#trustChangedAtMs > handshakeTimeoutMs;
    return socket.authorized && isSettled && !socket.isSessionReused() ? this.#trustBundle : undefined;
  }
}
