import { isIPv4, isIPv6 } from 'node:net';

/** An IPv4-mapped IPv6 address, as the URL parser writes it. */
const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * The canonical form of an IP address: IPv6 in lower case and compressed, IPv4-mapped addresses as IPv4. Undefined for
 * anything else, such as host names, addresses with a scope (`%eth0`), and the unspecified address.
 */
export function canonicalIp(text: string): string | undefined {
  if (isIPv4(text)) return text === '0.0.0.0' ? undefined : text;
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const address = new URL(`http://[${text}]`).hostname.slice(1, -1);
  if (address === '::') return undefined;
  const [, high, low] = mapped.exec(address) ?? [];
  return high === undefined || low === undefined ? address : canonicalIp(ipv4Of(high, low));
}

const ipv4Of = (high: string, low: string): string =>
  [high, low].flatMap(half => [Number.parseInt(half, 16) >> 8, Number.parseInt(half, 16) & 255]).join('.');
