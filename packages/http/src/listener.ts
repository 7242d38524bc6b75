import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { ChandleryError } from '@chandlery/api';
import { type ActiveResponses, answerClientErrors } from './client-errors.ts';
import type { HttpLimits } from './limits.ts';
import type { Upgrades } from './upgrades.ts';

/** Keys and certificates in PEM. */
export interface TlsMaterial {
  readonly key: string | Buffer;
  readonly cert: string | Buffer;
  /** The authorities whose client certificates are believed. Default: none are. */
  readonly clientCa?: string | Buffer | readonly (string | Buffer)[];
}

export interface ListenerParts {
  readonly handler: RequestListener;
  readonly limits: HttpLimits;
  readonly active: ActiveResponses;
  readonly upgrades: Pick<Upgrades, 'isWanted' | 'accept'>;
}

/**
 * Makes the HTTPS server. Client certificates are asked for but not demanded: most clients bring a token instead, so
 * whether one was verified is decided for each request.
 */
export function makeSecureServer(tls: TlsMaterial, parts: ListenerParts): SecureServer {
  const { handler, limits } = parts;
  const options = { ...serverOptions(parts), ...tlsOptions(tls), requestCert: true, rejectUnauthorized: false };
  return prepare(createSecureServer({ ...options, handshakeTimeout: limits.headersTimeoutMs }, handler), parts);
}

/** Makes the plain HTTP server. */
export function makePlainServer(parts: ListenerParts): Server {
  return prepare(createServer(serverOptions(parts), parts.handler), parts);
}

/** What `setSecureContext` takes for a renewal. */
export const tlsOptions = ({ key, cert, clientCa = [] }: TlsMaterial) => ({
  key,
  cert,
  // An empty list means that no client certificate is believed; leaving it out would mean the public authorities.
  ca: typeof clientCa === 'string' || Buffer.isBuffer(clientCa) ? [clientCa] : [...clientCa],
  minVersion: 'TLSv1.2' as const,
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

const serverOptions = ({ limits, upgrades }: ListenerParts): ServerOptions => ({
  shouldUpgradeCallback: upgrades.isWanted,
  maxHeaderSize: limits.headerBytes,
  headersTimeout: limits.headersTimeoutMs,
  requestTimeout: limits.requestTimeoutMs,
  connectionsCheckingInterval: limits.timeoutCheckMs,
  keepAliveTimeout: limits.keepAliveMs,
  // TCP keep-alive finds out about watchers whose machine has gone.
  keepAlive: true,
  keepAliveInitialDelay: 30_000,
  noDelay: true,
});

function prepare<T extends Server | SecureServer>(server: T, { limits, active, upgrades }: ListenerParts): T {
  // Node drops further headers silently; one more than allowed lets the host see that there were too many.
  server.maxHeadersCount = limits.headerCount + 1;
  server.maxConnections = limits.connections;
  answerClientErrors(server as Server, active);
  server.on('upgrade', upgrades.accept);
  return server;
}
