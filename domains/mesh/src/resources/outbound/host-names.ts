import { isIPv6 } from 'node:net';
import type { OutboundService } from '../../model/proxy-scope.ts';
import { fullHostName } from '../security/tls-contexts.ts';

/** What clients may write into `Host` for a port of a service: its names, long and short, and addresses. */
export function hostNames({ service, addresses }: OutboundService, port: number): string[] {
  const { namespace, name } = service;
  const names = [name, `${name}.${namespace}`, `${name}.${namespace}.svc`, fullHostName(service)];
  const literals = addresses.map(address => (isIPv6(address) ? `[${address}]` : address)).toSorted();
  return [...new Set([...names, ...literals])].flatMap(host => [host, `${host}:${port}`]);
}
