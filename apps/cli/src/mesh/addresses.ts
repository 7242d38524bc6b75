import { isIP } from 'node:net';
import { usageError } from '../args/usage-error.ts';

/** Where something listens. */
export interface HostPort {
  /** An IPv6 address is without brackets. */
  readonly host: string;
  readonly port: number;
}

const defaultXdsPort = 18_000;

/** Where the agent of this machine listens unless told otherwise. */
export const defaultTunnel = '127.0.0.1:18001';

/** Reads `HOST:PORT`, an IPv6 address in brackets; `what` is the flag or variable that it came from. */
export function parseHostPort(text: string, what: string): HostPort {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? '';
  const port = Number(digits);
  const isFine = port >= 1 && port <= 65_535 && (bracketed === undefined || isIP(bracketed) === 6);
  if (host === '' || !isFine) throw usageError('InvalidOption', `${what} must be HOST:PORT, not "${text}"`);
  return { host, port };
}

/** As {@link parseHostPort} reads it. */
export const formatHostPort = ({ host, port }: HostPort): string => `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

/** Where proxies connect: as the flag or the variable says, else the port for proxies on the host of the API. */
export function xdsAddress(
  server: string,
  { flag, variable }: { readonly flag: string | undefined; readonly variable: string | undefined },
): HostPort {
  if (flag !== undefined) return parseHostPort(flag, '--xds-address');
  if (variable !== undefined && variable !== '') return parseHostPort(variable, 'CHANDLERY_XDS_ADDRESS');
  return { host: new URL(server).hostname.replace(/^\[|\]$/g, ''), port: defaultXdsPort };
}
