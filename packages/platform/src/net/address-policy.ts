import { BlockList, isIP } from 'node:net';

/** Which addresses may be called besides public ones. */
export interface AddressPolicyOptions {
  /** Address ranges (CIDR), single addresses and host names. */
  readonly allowed: readonly string[];
  /** Whether this machine's loopback interface may be called. */
  readonly allowLoopback: boolean;
}

/** Which addresses may be called on behalf of a tenant. */
export interface AddressPolicy {
  /** Says which sort of address keeps a host from being called ("a private address"); undefined if nothing does. */
  refusal(host: string, address: string): string | undefined;
}

/** Addresses that are not public, by the words for them. IPv4-mapped IPv6 addresses count as what they stand for. */
const restricted = {
  'a loopback address': ['127.0.0.0/8', '::1/128'],
  'a link-local or metadata address': ['169.254.0.0/16', '168.63.129.16/32', 'fe80::/10', 'fd00:ec2::254/128'],
  'a private address': ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10'],
  'an address of a shared (CGNAT) range': ['100.64.0.0/10'],
  'an unspecified address': ['0.0.0.0/8', '::/128'],
  'a multicast address': ['224.0.0.0/4', 'ff00::/8'],
  // These embed IPv4 addresses, which a gateway would call in our place.
  'a translated address': ['::/96', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', '2001::/32'],
  'a reserved address': [
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.88.99.0/24',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '240.0.0.0/4',
    '100::/64',
    '2001:db8::/32',
  ],
} as const;

const loopbackWords = 'a loopback address';

const lists = Object.entries(restricted).map(([words, ranges]) => ({ words, list: blockListOf(ranges) }));

/** The policy of these options, whose entries {@link isAddressEntry} has accepted. */
export function createAddressPolicy({ allowed: entries, allowLoopback }: AddressPolicyOptions): AddressPolicy {
  const names = new Set(entries.filter(entry => rangeOf(entry) === undefined).map(nameOf));
  const allowed = blockListOf(entries.filter(entry => rangeOf(entry) !== undefined));
  return {
    refusal(host, address) {
      const words = restrictionOf(address);
      if (words === undefined || (words === loopbackWords && allowLoopback)) return undefined;
      return names.has(nameOf(host)) || contains(allowed, address) ? undefined : words;
    },
  };
}

/** Whether a text can be an allowed entry: a range, an address or the name of a host. */
export function isAddressEntry(entry: string): boolean {
  if (rangeOf(entry) !== undefined) return true;
  return /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?\.?$/i.test(entry) && !/^[\d.]+$/.test(entry);
}

/** The address that a host of a URL is; undefined for a name. */
export function literalAddress(host: string): string | undefined {
  const bare = host.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? undefined : bare;
}

function restrictionOf(address: string): string | undefined {
  if (isIP(address) === 0) return 'not an IP address';
  return lists.find(({ list }) => contains(list, address))?.words;
}

function contains(list: BlockList, address: string): boolean {
  // A zone says by which interface an address is reached, not which address it is.
  const [bare = ''] = address.split('%');
  return list.check(bare, familyOf(bare));
}

interface Range {
  readonly address: string;
  readonly prefix: number;
}

function rangeOf(entry: string): Range | undefined {
  const [address = '', prefix, ...rest] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || rest.length > 0) return undefined;
  const bits = family === 4 ? 32 : 128;
  if (prefix === undefined) return { address, prefix: bits };
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits ? { address, prefix: Number(prefix) } : undefined;
}

function blockListOf(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of entries.map(rangeOf)) {
    if (range !== undefined) list.addSubnet(range.address, range.prefix, familyOf(range.address));
  }
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

const nameOf = (host: string): string => host.toLowerCase().replace(/\.$/, '');
