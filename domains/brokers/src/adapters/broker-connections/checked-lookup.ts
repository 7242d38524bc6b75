import type { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import {
  type AddressPolicy,
  assertCallable as assertAllowed,
  checkedLookup as lookupAllowed,
} from '@chandlery/platform';
import { addressNotAllowed } from '../../model/catalog/address-policy.ts';

/** A host that the settings do not allow to be called. */
class AddressRejection extends Error {
  constructor(host: string, words: string) {
    super(addressNotAllowed(host, words));
  }
}

const rejectionFor = (host: string, words: string): Error => new AddressRejection(host, words);

/** Whether a call was not sent because the address is not allowed. */
export const isAddressRejection = (thrown: unknown): thrown is Error => thrown instanceof AddressRejection;

/** Throws if the host of a broker is an IP address that may not be called. */
export const assertCallable = (addresses: AddressPolicy, hostname: string): void =>
  assertAllowed(addresses, hostname, rejectionFor);

/** Resolves names of brokers, to addresses that may be called and no others. */
export const checkedLookup = (addresses: AddressPolicy, resolve?: typeof lookup): LookupFunction =>
  lookupAllowed(addresses, rejectionFor, resolve);
