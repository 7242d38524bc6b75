import type { Dispatcher } from 'undici';
import { authorityOf } from './authority-file.ts';
import type { ClientCertificate, ConnectionOptions } from './connection.ts';

const connectTimeoutMs = 10_000;

/**
 * The open connections to one server. Those made with a certificate that has been replaced, or by an older list of
 * authorities, end with their requests.
 */
export class ConnectionPool implements AsyncDisposable {
  readonly #connection: ConnectionOptions;
  readonly #origin: string;
  /** All that may still be in use. */
  readonly #dispatchers = new Set<Promise<Dispatcher>>();
  /** The one for new requests. */
  #present: Promise<Dispatcher> | undefined;
  #certificatePem: string | undefined;
  readonly #authority: () => Promise<string | undefined>;
  #trustedPem: string | undefined;

  constructor(connection: ConnectionOptions) {
    this.#connection = connection;
    this.#origin = new URL(connection.server).origin;
    this.#authority = authorityOf(connection);
  }

  /** Connections that show the certificate. */
  async of(certificate: ClientCertificate | undefined): Promise<Dispatcher> {
    const trustedPem = await this.#authority();
    const isSame = this.#certificatePem === certificate?.certificatePem && this.#trustedPem === trustedPem;
    if (this.#present !== undefined && isSame) return this.#present;
    if (this.#present !== undefined) void this.#retire(this.#present);
    this.#certificatePem = certificate?.certificatePem;
    this.#trustedPem = trustedPem;
    const connection = trustedPem === undefined ? this.#connection : { ...this.#connection, caPem: trustedPem };
    // Loading the HTTP client takes a while, which programs that send nothing need not wait.
    this.#present = openDispatcher(this.#origin, connection, certificate);
    this.#dispatchers.add(this.#present);
    return this.#present;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#dispatchers].map(async dispatcher => (await dispatcher).destroy()));
  }

  async #retire(old: Promise<Dispatcher>): Promise<void> {
    await (await old).close();
    this.#dispatchers.delete(old);
  }
}

async function openDispatcher(
  origin: string,
  connection: ConnectionOptions,
  certificate: ClientCertificate | undefined,
): Promise<Dispatcher> {
  const undici = await import('undici');
  const tls = tlsOptions(connection, certificate);
  const { proxyUrl } = connection;
  if (proxyUrl === undefined) return new undici.Pool(origin, { connect: tls, allowH2: false });
  return new undici.ProxyAgent({ uri: proxyUrl, requestTls: tls, allowH2: false });
}

function tlsOptions(
  { caPem, tlsServerName, isInsecure }: ConnectionOptions,
  certificate: ClientCertificate | undefined,
) {
  return {
    timeout: connectTimeoutMs,
    rejectUnauthorized: isInsecure !== true,
    ...(caPem === undefined ? {} : { ca: caPem }),
    ...(tlsServerName === undefined ? {} : { servername: tlsServerName }),
    ...(certificate === undefined ? {} : { cert: certificate.certificatePem, key: certificate.privateKeyPem }),
  };
}
