import type { Environment } from '@marcbachmann/cel-js';
import { AddressBlock, IpAddress, parseBlock, parseIp } from './address.ts';
import { registerIn } from './register.ts';

function toIp(text: string): IpAddress {
  const address = parseIp(text);
  if (address === undefined)
    throw new Error(`IP Address ${JSON.stringify(text.slice(0, 100))} parse error during conversion from string`);
  return address;
}

function toBlock(text: string): AddressBlock {
  const block = parseBlock(text);
  if (block === undefined)
    throw new Error(`network address parse error during conversion from string: ${JSON.stringify(text.slice(0, 100))}`);
  return block;
}

const blocks = (...texts: string[]): readonly AddressBlock[] => texts.map(toBlock);

const loopback = blocks('127.0.0.0/8', '::1/128');
const linkLocal = blocks('169.254.0.0/16', 'fe80::/10');
const linkLocalMulticast = blocks('224.0.0.0/24', 'ff02::/16');
const multicast = blocks('224.0.0.0/4', 'ff00::/8', '255.255.255.255/32');

const isIn = (address: IpAddress, list: readonly AddressBlock[]): boolean =>
  list.some(block => block.contains(address));

const isUnspecified = ({ bits }: IpAddress): boolean => bits === 0n;

const isGlobalUnicast = (address: IpAddress): boolean =>
  !isUnspecified(address) && !isIn(address, [...loopback, ...linkLocal, ...multicast]);

const containsBlock = (outer: AddressBlock, inner: AddressBlock): boolean =>
  inner.length >= outer.length && outer.contains(inner.address);

class IpNamespace {}

/** `ip()`, `cidr()`, their questions, and what can be asked of the results. */
export function registerAddressFunctions(environment: Environment): void {
  const register = registerIn(environment);
  environment
    .registerType('IP', IpAddress)
    .registerType('CIDR', AddressBlock)
    .registerType('IpNamespace', IpNamespace)
    .registerConstant('ip', 'IpNamespace', new IpNamespace());
  register('ip(string): IP', toIp);
  register('isIP(string): bool', (text: string) => parseIp(text) !== undefined);
  register('IpNamespace.isCanonical(string): bool', (_: unknown, text: string) => toIp(text).toString() === text);
  register('IP.family(): int', (address: IpAddress) => BigInt(address.version));
  register('IP.isUnspecified(): bool', isUnspecified);
  register('IP.isLoopback(): bool', (address: IpAddress) => isIn(address, loopback));
  register('IP.isLinkLocalMulticast(): bool', (address: IpAddress) => isIn(address, linkLocalMulticast));
  register('IP.isLinkLocalUnicast(): bool', (address: IpAddress) => isIn(address, linkLocal));
  register('IP.isGlobalUnicast(): bool', isGlobalUnicast);
  register('string(IP): string', String);
  register('cidr(string): CIDR', toBlock);
  register('isCIDR(string): bool', (text: string) => parseBlock(text) !== undefined);
  register('CIDR.containsIP(IP): bool', (block: AddressBlock, address: IpAddress) => block.contains(address));
  register('CIDR.containsIP(string): bool', (block: AddressBlock, text: string) => block.contains(toIp(text)));
  register('CIDR.containsCIDR(CIDR): bool', containsBlock);
  register('CIDR.containsCIDR(string): bool', (outer: AddressBlock, text: string) =>
    containsBlock(outer, toBlock(text)),
  );
  register('CIDR.ip(): IP', ({ address }: AddressBlock) => address);
  register('CIDR.prefixLength(): int', ({ length }: AddressBlock) => BigInt(length));
  register(
    'CIDR.masked(): CIDR',
    ({ address, length }: AddressBlock) => new AddressBlock(address.masked(length), length),
  );
  register('string(CIDR): string', String);
}
