import { isIPv4, isIPv6 } from 'node:net';

/** An IP address as a number, so that networks are simple arithmetic. */
export class IpAddress {
  readonly version: 4 | 6;
  readonly bits: bigint;

  constructor(version: 4 | 6, bits: bigint) {
    this.version = version;
    this.bits = bits;
  }

  get width(): number {
    return this.version === 4 ? 32 : 128;
  }

  equals({ version, bits }: IpAddress): boolean {
    return this.version === version && this.bits === bits;
  }

  /** True when the first bits are those of another address. */
  sharesPrefix(other: IpAddress, length: number): boolean {
    const rest = BigInt(this.width - length);
    return this.version === other.version && this.bits >> rest === other.bits >> rest;
  }

  masked(length: number): IpAddress {
    const rest = BigInt(this.width - length);
    return new IpAddress(this.version, (this.bits >> rest) << rest);
  }

  /** The shortest text, in lower case (RFC 5952). */
  toString(): string {
    return this.version === 4 ? octetsOf(this.bits).join('.') : showIpv6(this.bits);
  }
}

/** Undefined when the text is no address; IPv4 addresses in IPv6 clothes and zones are none, as in Kubernetes. */
export function parseIp(text: string): IpAddress | undefined {
  if (isIPv4(text)) return new IpAddress(4, readIpv4(text));
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const bits = readIpv6(text);
  return bits >> 32n === 0xffffn ? undefined : new IpAddress(6, bits);
}

/** A network: an address and the length of the prefix that counts. */
export class AddressBlock {
  readonly address: IpAddress;
  readonly length: number;

  constructor(address: IpAddress, length: number) {
    this.address = address;
    this.length = length;
  }

  equals({ address, length }: AddressBlock): boolean {
    return this.length === length && this.address.equals(address);
  }

  contains(address: IpAddress): boolean {
    return this.address.sharesPrefix(address, this.length);
  }

  toString(): string {
    return `${this.address}/${this.length}`;
  }
}

export function parseBlock(text: string): AddressBlock | undefined {
  const [host = '', length = '', ...rest] = text.split('/');
  const address = parseIp(host);
  if (address === undefined || rest.length > 0 || !/^(?:0|[1-9]\d{0,2})$/.test(length)) return undefined;
  return Number(length) <= address.width ? new AddressBlock(address, Number(length)) : undefined;
}

const readIpv4 = (text: string): bigint => text.split('.').reduce((bits, octet) => bits * 256n + BigInt(octet), 0n);

const octetsOf = (bits: bigint): bigint[] => [24n, 16n, 8n, 0n].map(shift => (bits >> shift) & 255n);

function readIpv6(text: string): bigint {
  const [head = '', tail] = text.split('::');
  const before = readGroups(head);
  const after = tail === undefined ? [] : readGroups(tail);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0n);
  return [...before, ...zeros, ...after].reduce((bits, group) => bits * 65536n + group, 0n);
}

function readGroups(text: string): bigint[] {
  if (text === '') return [];
  return text.split(':').flatMap(group => {
    if (!group.includes('.')) return [BigInt(`0x${group}`)];
    const bits = readIpv4(group);
    return [bits >> 16n, bits & 65535n];
  });
}

function showIpv6(bits: bigint): string {
  const groups = Array.from({ length: 8 }, (_, index) => ((bits >> BigInt(112 - index * 16)) & 65535n).toString(16));
  const runs = [...groups.join(':').matchAll(/\b0(?::0)+\b/g)];
  const [longest] = runs.toSorted((left, right) => right[0].length - left[0].length);
  const text = groups.join(':');
  if (longest === undefined) return text;
  const before = text.slice(0, longest.index).replace(/:$/, '');
  const after = text.slice(longest.index + longest[0].length).replace(/^:/, '');
  return `${before}::${after}`;
}
