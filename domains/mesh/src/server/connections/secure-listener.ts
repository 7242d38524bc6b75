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
  /** Under which names and addresses clients reach this server. */
  readonly names: readonly string[];
  readonly authority: MeshAuthority;
  readonly logger: Logger;
  /** Takes a client that speaks HTTP/2. */
  readonly onHttp2: (client: SecuredSocket) => void;
  /** Takes a client that speaks HTTP/1.1, or does not say. */
  readonly onHttp1: (client: SecuredSocket) => void;
}

const handshakeTimeoutMs = 10_000;

/**
 * Shakes hands with clients and asks for their certificates; those without are taken too, so that they can be told why
 * they are refused. Follows the authority: a new certificate or new roots hold from the next handshake on, and
 * connections that are open stay so.
 */
export class SecureListener implements AsyncDisposable {
  readonly #options: SecureListenerOptions;
  readonly #server: Server;
  readonly #unsubscribe: () => void;
  /** All of them, those that have not shaken hands yet too. */
  readonly #sockets = new Set<Socket>();
  #certificate: ServerCertificate;
  #trustBundle: string;
  /** When the roots were exchanged last: handshakes that had begun before were by the former ones. */
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
      options.logger.debug('a client failed to shake hands', { why: error.message });
    });
    this.#unsubscribe = options.authority.subscribe(() => this.refresh());
  }

  /** Resolves with the port that it listens on. Rejects when that is taken. */
  async listen(): Promise<number> {
    this.#server.listen(this.#options.port, this.#options.host);
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** Takes over what the authority says now. To be called every now and then: certificates are renewed without a word. */
  refresh(): void {
    try {
      this.#takeOver();
    } catch (error) {
      this.#options.logger.error('cannot take over a new certificate or new roots; the old ones stay', { error });
    }
  }

  /** Cuts all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Takes no more clients. Resolves when those that are connected have gone. */
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

  /** Without tickets: a client that came back with one would not be looked at again. */
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
    socket.on('error', error => this.#options.logger.debug('a connection broke', { why: error.message }));
    socket.setNoDelay(true);
    const verifiedBundle = this.#verifiedBundle(socket);
    const client = { socket, ...(verifiedBundle !== undefined && { verifiedBundle }) };
    if (socket.alpnProtocol === 'h2') this.#options.onHttp2(client);
    else this.#options.onHttp1(client);
  }

  #verifiedBundle(socket: TLSSocket): string | undefined {
    const isSettled = performance.now() - this.#trustChangedAtMs > handshakeTimeoutMs;
    return socket.authorized && isSettled && !socket.isSessionReused() ? this.#trustBundle : undefined;
  }
}
