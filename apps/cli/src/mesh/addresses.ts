import { isIP } from 'node:net';
import { join } from 'node:path';
import type { TunnelAddress } from '@chandlery/mesh/agent';
import { usageError } from '../args/usage-error.ts';

/** A listening address. */
export interface HostPort {
  /** An IPv6 address is without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Default port of a landscape. */
const defaultXdsPort = 18_000;

const socketScheme = 'unix://';

/** Default listening address of an agent: a socket in a folder of its own beside its certificate. */
export const defaultTunnel = (folder: string): TunnelAddress => ({ path: join(folder, 'agent', 'xds.sock') });

const isPort = (port: number): boolean => Number.isInteger(port) && port >= 1 && port <= 65_535;

/** Parses `HOST:PORT`, an IPv6 address in brackets; `what` is the flag or variable. */
export function parseHostPort(text: string, what: string): HostPort {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? '';
  const port = Number(digits);
  const isFine = isPort(port) && (bracketed === undefined || isIP(bracketed) === 6);
  if (host === '' || !isFine) throw usageError('InvalidOption', `${what} must be HOST:PORT, not "${text}"`);
  return { host, port };
}

/** Parses the listening address of an agent: `unix:///PATH` or `HOST:PORT`. */
export function parseTunnel(text: string, what: string): TunnelAddress {
  if (text.startsWith(`${socketScheme}/`)) return { path: text.slice(socketScheme.length) };
  if (text.startsWith('unix:')) throw usageError('InvalidOption', `${what} must be unix:///PATH, not "${text}"`);
  return parseHostPort(text, what);
}

/** The form that {@link parseTunnel} parses, and gRPC libraries use as the address of a server. */
export const formatTunnel = (address: TunnelAddress): string =>
  'path' in address ? `${socketScheme}${address.path}` : formatHostPort(address);

/** The form that {@link parseHostPort} parses. */
export const formatHostPort = ({ host, port }: HostPort): string => `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

/** The address for proxies by flag or variable, in this order; undefined when neither is set. */
export function statedXds(flag: string | undefined, variable: string | undefined): HostPort | undefined {
  if (flag !== undefined) return parseHostPort(flag, '--xds-address');
  return variable ? parseHostPort(variable, 'CHANDLERY_XDS_ADDRESS') : undefined;
}

/** The default address for proxies: on the host of the API, with the port that the landscape reports, if it does. */
export const xdsOnHost = (server: string, told?: number): HostPort => ({
  host: new URL(server).hostname.replace(/^\[|\]$/g, ''),
  port: told !== undefined && isPort(told) ? told : defaultXdsPort,
});
