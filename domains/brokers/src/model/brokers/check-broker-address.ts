import { BlockList, isIPv4, isIPv6 } from 'node:net';
import type { BrokerRow } from '../../registry/registry.ts';
import { smError } from '../sm-error.ts';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

interface AddressRules {
  /** Whether plain HTTP and this machine are accepted. */
  readonly allowInsecureBrokers: boolean;
}

/** Throws `BadRequest` unless a broker has one address: a URL that may be called, or an offering source of this landscape. */
export function checkBrokerAddress({ url, internal }: BrokerRow['spec'], rules: AddressRules): void {
  if ((url === undefined) === (internal === undefined))
    throw refuse('a broker has either a broker_url or an internal source');
  if (url === undefined) return;
  const parsed = URL.parse(url);
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol))
    throw refuse('broker_url must be an http or https URL');
  if (parsed.username !== '' || parsed.password !== '') throw refuse('broker_url may not hold credentials');
  if (parsed.search !== '' || parsed.hash !== '') throw refuse('broker_url may have neither a query nor a fragment');
  if (!rules.allowInsecureBrokers && isInsecure(parsed))
    throw refuse('broker_url must be https and not of this machine');
}

function isInsecure({ protocol, hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (protocol !== 'https:' || host === 'localhost' || host.endsWith('.localhost')) return true;
  return (isIPv4(host) && loopback.check(host)) || (isIPv6(host) && loopback.check(host, 'ipv6'));
}

const refuse = (message: string) => smError('BadRequest', message, { field: 'broker_url' });
