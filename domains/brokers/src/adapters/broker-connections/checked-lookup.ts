import { type LookupAddress, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { type AddressPolicy, addressNotAllowed, literalAddress } from '../../model/brokers/address-policy.ts';

/** A host that the settings do not allow to be called. */
class AddressRefusal extends Error {}

/** Whether a call was not sent because the address is not allowed. */
export const isAddressRefusal = (thrown: unknown): thrown is Error => thrown instanceof AddressRefusal;

/** Throws if a host is an IP address that may not be called: sockets look up names only. */
export function assertCallable(addresses: AddressPolicy, hostname: string): void {
  const address = literalAddress(hostname);
  const words = address === undefined ? undefined : addresses.refusal(hostname, address);
  if (words !== undefined) throw new AddressRefusal(addressNotAllowed(hostname, words));
}

/**
 * Resolves names for a socket, to addresses that may be called and no others. The socket connects to what was checked here,
 * so a name that is resolved differently the next time is judged again.
 */
export const checkedLookup =
  (addresses: AddressPolicy, resolve: typeof lookup = lookup): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const callable = found.filter(({ address }) => addresses.refusal(hostname, address) === undefined);
      const [first] = callable;
      if (first === undefined) return callback(refusalOf(addresses, hostname, found), []);
      return options.all === true ? callback(null, callable) : callback(null, first.address, first.family);
    });
  };

function refusalOf(addresses: AddressPolicy, hostname: string, found: readonly LookupAddress[]): Error {
  const [words = 'no address'] = found.map(({ address }) => addresses.refusal(hostname, address) ?? '');
  return new AddressRefusal(addressNotAllowed(hostname, words));
}
