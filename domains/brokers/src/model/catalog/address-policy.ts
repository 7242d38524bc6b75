import { type AddressPolicy, createAddressPolicy } from '@chandlery/platform';

/** The name of the setting that allows addresses, for error messages. */
export const addressSetting = 'allowedBrokerAddresses';

/** Which addresses may be called besides public ones. */
export interface AddressSettings {
  /** Address ranges (CIDR), single addresses and host names. */
  readonly allowedBrokerAddresses: readonly string[];
  /** Whether brokers on this machine's loopback interface may be called. */
  readonly allowLoopbackBrokers: boolean;
}

/**
 * The message for a host that may not be called. It does not name the resolved address, which the caller need not know.
 */
export const addressNotAllowed = (host: string, words: string): string =>
  `${host} is at ${words}; the operator can allow the host or its range in the service manager's setting ${addressSetting}`;

/** Where brokers may be by the settings. */
export const brokerAddressPolicy = ({ allowedBrokerAddresses, allowLoopbackBrokers }: AddressSettings): AddressPolicy =>
  createAddressPolicy({ allowed: allowedBrokerAddresses, allowLoopback: allowLoopbackBrokers });
