import { createServer, type RequestListener, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { ChandleryError } from '@chandlery/api';
import { type ActiveResponses, respondToClientErrors } from './client-errors.ts';
import type { HttpLimits } from './limits.ts';
import { PacedResponse } from './paced-response.ts';
import type { SniCallback } from './sni-contexts.ts';
import type { StalledConnections } from './stalled-connections.ts';
import type { Upgrades } from './upgrades.ts';

/** Keys and certificates in PEM. */
export interface TlsMaterial {
  readonly key: string | Buffer;
  readonly cert: string | Buffer;
  /** The authorities whose client certificates are accepted. Default: none. */
  readonly clientCa?: string | Buffer | readonly (string | Buffer)[];
}

export interface ListenerDeps {
  readonly handler: RequestListener;
  readonly limits: HttpLimits;
  readonly active: ActiveResponses;
  readonly upgrades: Pick<Upgrades, 'isWanted' | 'accept'>;
  readonly stalled: Pick<StalledConnections, 'add'>;
  /** Chooses certificates by SNI. Default: all clients get the same. */
  readonly chooseCertificate?: SniCallback | undefined;
}

/**
 * Makes the HTTPS server. Client certificates are asked for but not demanded: most clients bring a token instead, so
 * whether one was verified is decided for each request.
 */
export function makeSecureServer(tls: TlsMaterial, deps: ListenerDeps): SecureServer {
  const { handler, limits, chooseCertificate } = deps;
  const options = { ...serverOptions(deps), ...tlsOptions(tls), requestCert: true, rejectUnauthorized: false };
  const sni = chooseCertificate === undefined ? {} : { SNICallback: chooseCertificate };
  const server = createSecureServer({ ...options, ...sni, handshakeTimeout: limits.headersTimeoutMs }, handler);
  server.on('secureConnection', deps.stalled.add);
  return prepare(server, deps);
}

/** Makes the plain HTTP server. */
export function makePlainServer(deps: ListenerDeps): Server {
  const server = createServer(serverOptions(deps), deps.handler);
  server.on('connection', deps.stalled.add);
  return prepare(server, deps);
}

/**
 * The cipher suites that listeners accept, as OpenSSL writes them: those of TLS 1.3, and of TLS 1.2 those with
 * authenticated encryption and forward secrecy. Suites in CBC mode have a history of padding oracles.
 */
export const acceptedCiphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** What `setSecureContext` takes for a renewal. */
export const tlsOptions = ({ key, cert, clientCa = [] }: TlsMaterial) => ({
  key,
  cert,
  // An empty list accepts no client certificate; leaving it out would accept the public authorities.
  ca: typeof clientCa === 'string' || Buffer.isBuffer(clientCa) ? [clientCa] : [...clientCa],
  minVersion: 'TLSv1.2' as const,
  ciphers: acceptedCiphers,
});

/** Starts listening; a port that is taken is a clear error. */
export function startListening(server: Server | SecureServer, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const refuse = (cause: NodeJS.ErrnoException) => reject(listenError(host, port, cause));
    server.once('error', refuse);
    server.listen({ host, port, backlog: 4096 }, () => {
      server.off('error', refuse);
      resolve(server.address() as AddressInfo);
    });
  });
}

function listenError(host: string, port: number, cause: NodeJS.ErrnoException): ChandleryError {
  const why = cause.code === 'EADDRINUSE' ? 'the port is already in use' : cause.message;
  return new ChandleryError('ListenFailed', `cannot listen on ${host}:${port}: ${why}`, { cause });
}

const serverOptions = ({ limits, upgrades }: ListenerDeps): ServerOptions => ({
  // Its types say that it is a subclass of Node's, whose accessors they take for fields.
  ServerResponse: PacedResponse as unknown as typeof ServerResponse,
  shouldUpgradeCallback: upgrades.isWanted,
  maxHeaderSize: limits.headerBytes,
  headersTimeout: limits.headersTimeoutMs,
  requestTimeout: limits.requestTimeoutMs,
  connectionsCheckingInterval: limits.timeoutCheckMs,
  keepAliveTimeout: limits.keepAliveMs,
  // TCP keep-alive detects watchers whose machine is down.
  keepAlive: true,
  keepAliveInitialDelay: 30_000,
  noDelay: true,
});

function prepare<T extends Server | SecureServer>(server: T, { handler, limits, active, upgrades }: ListenerDeps): T {
  // Node drops further headers silently; one more than allowed lets the host see that there were too many.
  server.maxHeadersCount = limits.headerCount + 1;
  server.maxConnections = limits.connections;
  respondToClientErrors(server as Server, active);
  server.on('upgrade', upgrades.accept);
  // A client that sent `Expect: 100-continue` gets the response when its body is about to be read.
  server.on('checkContinue', handler);
  return server;
}
