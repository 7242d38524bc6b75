import { type LookupAddress, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { type AddressPolicy, literalAddress } from './address-policy.ts';

/** Makes the error for a host that may not be called, from the sort of its address. */
type RefusalError = (host: string, words: string) => Error;

/** Throws if a host is an IP address that may not be called: sockets look up names only. */
export function assertCallable(addresses: AddressPolicy, hostname: string, errorOf: RefusalError): void {
  const address = literalAddress(hostname);
  const words = address === undefined ? undefined : addresses.refusal(hostname, address);
  if (words !== undefined) throw errorOf(hostname, words);
}

/**
 * Resolves names for a socket, to addresses that may be called and no others. The socket connects to what was checked here,
 * so a name that is resolved differently the next time is judged again.
 */
export const checkedLookup =
  (addresses: AddressPolicy, errorOf: RefusalError, resolve: typeof lookup = lookup): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const callable = found.filter(({ address }) => addresses.refusal(hostname, address) === undefined);
      const [first] = callable;
      if (first === undefined) return callback(errorOf(hostname, wordsOf(addresses, hostname, found)), []);
      return options.all === true ? callback(null, callable) : callback(null, first.address, first.family);
    });
  };

function wordsOf(addresses: AddressPolicy, hostname: string, found: readonly LookupAddress[]): string {
  const [words = 'no address'] = found.map(({ address }) => addresses.refusal(hostname, address) ?? '');
  return words;
}
