import { createSecureContext, getCACertificates } from 'node:tls';
import { type AddressPolicy, readForeignPrivateKey } from '@chandlery/platform';
import { Pool } from 'undici';
import type { BrokerTarget } from '../../ports.ts';
import { assertCallable, checkedLookup } from './checked-lookup.ts';

const mebibyte = 1024 * 1024;
const maxResponseBytes = 10 * mebibyte;
const maxConnectMs = 10_000;

/** How a broker is talked to when its row does not say otherwise. */
export const defaultLimits = {
  timeoutMs: 60_000,
  maxConnections: 32,
  maxWaiting: 256,
  callsPerSecond: 0,
  breakAfterFailures: 20,
  breakMs: 5_000,
};

/** The certificate of the service manager, for brokers that ask for it. */
export interface OwnCertificate {
  readonly clientCertificate?: string;
  readonly clientKey?: string;
}

interface PoolOptions {
  readonly own: OwnCertificate;
  readonly addresses: AddressPolicy;
}

/**
 * Opens the connection pool of one broker; redirects are not followed. Throws for addresses and certificates that
 * cannot be used. The addresses of a host name are checked for each connection.
 */
export function openPool({ spec, credentials }: BrokerTarget, { own, addresses }: PoolOptions): Pool {
  const { origin, protocol, hostname } = new URL(spec.url ?? '');
  assertCallable(addresses, hostname);
  const { maxConnections, timeoutMs } = { ...defaultLimits, ...spec.limits };
  if (credentials.clientKey !== undefined) readForeignPrivateKey(credentials.clientKey);
  const { clientCertificate: cert, clientKey: key } = certificateOf({ spec, credentials }, own);
  const secureContext =
    protocol === 'https:'
      ? createSecureContext({
          ...(spec.caBundle === undefined ? {} : { ca: [...getCACertificates('default'), spec.caBundle] }),
          ...(cert === undefined || key === undefined ? {} : { cert, key }),
        })
      : undefined;
  return new Pool(origin, {
    connections: maxConnections,
    allowH2: false,
    // Calls are timed as a whole, by us.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: maxResponseBytes,
    connect: {
      timeout: Math.min(maxConnectMs, timeoutMs),
      lookup: checkedLookup(addresses),
      rejectUnauthorized: spec.insecureSkipVerify !== true,
      ...(secureContext === undefined ? {} : { secureContext }),
    },
  });
}

function certificateOf(
  { spec, credentials }: Pick<BrokerTarget, 'spec' | 'credentials'>,
  own: OwnCertificate,
): OwnCertificate {
  if (credentials.clientCertificate !== undefined) return credentials;
  return spec.useServerCertificate === true ? own : {};
}

/** What stands in `Authorization`; undefined for a broker that knows us by our certificate, or not at all. */
export function authorizationOf({ credentials: { token, username, password = '' } }: BrokerTarget): string | undefined {
  if (token !== undefined) return `Bearer ${token}`;
  if (username === undefined) return undefined;
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
