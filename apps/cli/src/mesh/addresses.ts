import { isIP } from 'node:net';
import { join } from 'node:path';
import type { TunnelAddress } from '@chandlery/mesh/agent';
import { usageError } from '../args/usage-error.ts';

/** Where something listens. */
export interface HostPort {
  /** An IPv6 address is without brackets. */
  readonly host: string;
  readonly port: number;
}

/** What a landscape is started with unless told otherwise. */
const defaultXdsPort = 18_000;

const socketScheme = 'unix://';

/** Where an agent listens unless told otherwise: a socket in a folder of its own beside its certificate. */
export const defaultTunnel = (folder: string): TunnelAddress => ({ path: join(folder, 'agent', 'xds.sock') });

const isPort = (port: number): boolean => Number.isInteger(port) && port >= 1 && port <= 65_535;

/** Reads `HOST:PORT`, an IPv6 address in brackets; `what` is the flag or variable that it came from. */
export function parseHostPort(text: string, what: string): HostPort {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? '';
  const port = Number(digits);
  const isFine = isPort(port) && (bracketed === undefined || isIP(bracketed) === 6);
  if (host === '' || !isFine) throw usageError('InvalidOption', `${what} must be HOST:PORT, not "${text}"`);
  return { host, port };
}

/** Reads where an agent listens: `unix:///PATH` or `HOST:PORT`. */
export function parseTunnel(text: string, what: string): TunnelAddress {
  if (text.startsWith(`${socketScheme}/`)) return { path: text.slice(socketScheme.length) };
  if (text.startsWith('unix:')) throw usageError('InvalidOption', `${what} must be unix:///PATH, not "${text}"`);
  return parseHostPort(text, what);
}

/** As {@link parseTunnel} reads it, and gRPC libraries as the address of a server. */
export const formatTunnel = (address: TunnelAddress): string =>
  'path' in address ? `${socketScheme}${address.path}` : formatHostPort(address);

/** As {@link parseHostPort} reads it. */
export const formatHostPort = ({ host, port }: HostPort): string => `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

/** Where proxies connect as flag or variable say, in this order; undefined when neither does. */
export function statedXds(flag: string | undefined, variable: string | undefined): HostPort | undefined {
  if (flag !== undefined) return parseHostPort(flag, '--xds-address');
  return variable ? parseHostPort(variable, 'CHANDLERY_XDS_ADDRESS') : undefined;
}

/** Where proxies connect when nobody says so: on the host of the API, by the port that the landscape told if it did. */
export const xdsOnHost = (server: string, told?: number): HostPort => ({
  host: new URL(server).hostname.replace(/^\[|\]$/g, ''),
  port: told !== undefined && isPort(told) ? told : defaultXdsPort,
});
