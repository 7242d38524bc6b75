import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createCertificateAuthority, issueCertificate } from '@chandlery/platform';

/** Certificates of a broker on https. */
export interface BrokerTls {
  /** Trusts the broker, and is trusted by it. */
  readonly caPem: string;
  readonly clientCertificatePem: string;
  readonly clientKeyPem: string;
}

/** A server that can die and come back at the same address. */
export class BrokerServer implements AsyncDisposable {
  readonly tls: BrokerTls | undefined;
  readonly #create: () => Server;
  #server: Server | undefined;
  #port = 0;

  constructor(
    listener: RequestListener,
    { isSecure, port = 0 }: { readonly isSecure: boolean; readonly port?: number },
  ) {
    this.#port = port;
    if (!isSecure) {
      this.#create = () => createServer(listener);
      return;
    }
    const { tls, options } = makeCertificates();
    this.tls = tls;
    this.#create = () => createTlsServer(options, listener);
  }

  get port(): number {
    return this.#port;
  }

  async start(): Promise<void> {
    const server = this.#create();
    await once(server.listen(this.#port, '127.0.0.1'), 'listening');
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Breaks every connection and stops listening. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = new Promise(resolve => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

function makeCertificates() {
  const now = new Date();
  const authority = createCertificateAuthority({ commonName: 'scripted broker', now });
  const ca = authority.certificatePem;
  const names = { ipAddresses: ['127.0.0.1'], dnsNames: ['localhost'] };
  const served = issueCertificate(authority, { commonName: 'broker', ...names, usages: ['server'], now });
  const client = issueCertificate(authority, { commonName: 'service-manager', usages: ['client'], now });
  const tls: BrokerTls = {
    caPem: ca,
    clientCertificatePem: client.certificatePem,
    clientKeyPem: client.privateKeyPem,
  };
  const options = { key: served.privateKeyPem, cert: served.certificatePem, ca, requestCert: true };
  return { tls, options: { ...options, rejectUnauthorized: false } };
}
