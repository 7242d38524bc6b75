import { isLoopbackHost, literalAddress } from '@chandlery/platform';
import { smError } from '../../errors.ts';
import type { BrokerRow } from '../rows.ts';
import { type AddressSettings, addressNotAllowed, brokerAddressPolicy } from './address-policy.ts';

interface AddressRules extends AddressSettings {
  /** Whether plain HTTP and this machine are accepted. */
  readonly allowInsecureBrokers: boolean;
}

/**
 * Throws `BadRequest` unless a broker has one address: a URL that may be called, or an offering source of this landscape;
 * `BrokerAddressNotAllowed` for an IP address that the settings do not allow. Names are judged when they are resolved.
 */
export function checkBrokerAddress({ url, internal }: BrokerRow['spec'], rules: AddressRules): void {
  if ((url === undefined) === (internal === undefined))
    throw reject('a broker has either a broker_url or an internal source');
  if (url === undefined) return;
  const parsed = URL.parse(url);
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol))
    throw reject('broker_url must be an http or https URL');
  if (parsed.username !== '' || parsed.password !== '') throw reject('broker_url may not hold credentials');
  if (parsed.search !== '' || parsed.hash !== '') throw reject('broker_url may have neither a query nor a fragment');
  if (!rules.allowInsecureBrokers && isInsecure(parsed))
    throw reject('broker_url must be https and not of this machine');
  checkLiteral(parsed, rules);
}

function checkLiteral({ hostname }: URL, rules: AddressRules): void {
  const address = literalAddress(hostname);
  const words = address === undefined ? undefined : brokerAddressPolicy(rules).refusal(hostname, address);
  if (words === undefined) return;
  const message = addressNotAllowed(hostname, words);
  throw smError('BrokerAddressNotAllowed', message, { status: 400, field: 'broker_url' });
}

const isInsecure = ({ protocol, hostname }: URL): boolean => protocol !== 'https:' || isLoopbackHost(hostname);

const reject = (message: string) => smError('BadRequest', message, { field: 'broker_url' });
