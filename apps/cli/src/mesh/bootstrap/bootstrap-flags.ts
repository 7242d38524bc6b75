import { isIP } from 'node:net';
import type { Flag, Flags } from '../../args/flags.ts';
import { usageError } from '../../args/usage-error.ts';
import type { Announcement } from './bootstrap-options.ts';
import type { EnvoyPorts } from './envoy-bootstrap.ts';

const defaultAdminPort = 15_000;

const portFlag = (about: string): Flag => ({ type: 'text', valueName: 'PORT', about });

/** Flag of the announced endpoints. */
export const announceFlag = {
  announce: {
    type: 'text',
    valueName: 'SERVICE=IP:[NAME=]PORT,…',
    about: 'Say where the workload serves a service, while it is connected. Several are separated by spaces.',
  },
} as const satisfies Record<string, Flag>;

/** Flags of the ports of an Envoy. */
export const envoyPortFlags = {
  'admin-port': portFlag('Where its administration listens, on 127.0.0.1 (envoy). Default: 15000.'),
  'outbound-port': portFlag('Where connections of the workload are redirected to (envoy). Default: 15001.'),
  'inbound-port': portFlag('Where connections to the workload are redirected to (envoy). Default: 15003.'),
  'plaintext-ports': {
    type: 'text',
    valueName: 'PORT,PORT…',
    about: 'Ports of the workload that are open to all clients without TLS, as for probes and metrics (envoy).',
  },
} as const satisfies Record<string, Flag>;

export function envoyPortsOf(flags: Flags): EnvoyPorts {
  const stated = (flag: keyof typeof envoyPortFlags): number | undefined => {
    const text = flags.text(flag);
    return text === undefined ? undefined : portOf(text, flag);
  };
  const [outbound, inbound] = [stated('outbound-port'), stated('inbound-port')];
  const plaintext = flags.text('plaintext-ports');
  return {
    admin: stated('admin-port') ?? defaultAdminPort,
    ...(outbound !== undefined && { outbound }),
    ...(inbound !== undefined && { inbound }),
    ...(plaintext !== undefined && { plaintext: plaintext.split(',').map(text => portOf(text, 'plaintext-ports')) }),
  };
}

/** Undefined without announcements. */
export function announcementsOf(flags: Flags): readonly Announcement[] | undefined {
  return flags.text('announce')?.split(/\s+/).filter(Boolean).map(announcementOf);
}

/** Parses `books=10.0.0.1:8080`, with more ports by their names: `books=10.0.0.1:grpc=50051,http=8080`. */
function announcementOf(text: string): Announcement {
  const [, service = '', bracketed, plain, ports = ''] =
    /^([a-z][-a-z0-9]*)=(?:\[([^\]]+)\]|([^:[\]]+)):(.+)$/.exec(text) ?? [];
  const ip = bracketed ?? plain ?? '';
  if (service === '' || isIP(ip) === 0)
    throw usageError('InvalidOption', `--announce must be SERVICE=IP:PORT or SERVICE=IP:NAME=PORT,…, not "${text}"`);
  const entries = ports.split(',').map((entry): [string, number] => {
    const [name, port] = entry.includes('=') ? entry.split('=', 2) : ['', entry];
    return [name ?? '', portOf(port ?? '', 'announce')];
  });
  return { service, ip, ports: Object.fromEntries(entries) };
}

function portOf(text: string, flag: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw usageError('InvalidOption', `--${flag}: "${text}" is not a port`);
  return port;
}
