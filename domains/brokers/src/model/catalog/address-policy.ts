import { type AddressPolicy, createAddressPolicy } from '@chandlery/platform';

/** The name of the setting that opens addresses, as messages tell it. */
export const addressSetting = 'allowedBrokerAddresses';

/** Which addresses may be called besides public ones. */
export interface AddressSettings {
  /** Address ranges (CIDR), single addresses and host names. */
  readonly allowedBrokerAddresses: readonly string[];
  /** Whether brokers on this machine's loopback interface may be called. */
  readonly allowLoopbackBrokers: boolean;
}

/** Tells why a host is not called. Does not name the address that it resolves to, which is not the caller's to know. */
export const addressNotAllowed = (host: string, words: string): string =>
  `${host} is at ${words}; the operator can allow the host or its range in the service manager's setting ${addressSetting}`;

/** Where brokers may be by the settings. */
export const brokerAddressPolicy = ({ allowedBrokerAddresses, allowLoopbackBrokers }: AddressSettings): AddressPolicy =>
  createAddressPolicy({ allowed: allowedBrokerAddresses, allowLoopback: allowLoopbackBrokers });
