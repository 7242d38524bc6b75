import type { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import {
  type AddressPolicy,
  assertCallable as assertAllowed,
  checkedLookup as lookupAllowed,
} from '@chandlery/platform';
import { addressNotAllowed } from '../../model/catalog/address-policy.ts';

/** A host that the settings do not allow to be called. */
class AddressRefusal extends Error {
  constructor(host: string, words: string) {
    super(addressNotAllowed(host, words));
  }
}

const refusalOf = (host: string, words: string): Error => new AddressRefusal(host, words);

/** Whether a call was not sent because the address is not allowed. */
export const isAddressRefusal = (thrown: unknown): thrown is Error => thrown instanceof AddressRefusal;

/** Throws if the host of a broker is an IP address that may not be called. */
export const assertCallable = (addresses: AddressPolicy, hostname: string): void =>
  assertAllowed(addresses, hostname, refusalOf);

/** Resolves names of brokers, to addresses that may be called and no others. */
export const checkedLookup = (addresses: AddressPolicy, resolve?: typeof lookup): LookupFunction =>
  lookupAllowed(addresses, refusalOf, resolve);
