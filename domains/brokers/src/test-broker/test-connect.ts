import { type Clock, type Logger, silentLogger, systemClock } from '@chandlery/platform';
import type { OwnCertificate } from '../adapters/broker-connections/open-pool.ts';
import { PooledConnection } from '../adapters/broker-connections/pooled-connection.ts';
import { brokerAddressPolicy } from '../model/catalog/address-policy.ts';
import type { BrokerCredentials, BrokerTarget } from '../ports.ts';
import { defaultBrokerSettings } from '../settings.ts';
import type { ScriptedBroker } from './scripted-broker.ts';

interface ConnectOptions {
  readonly spec?: BrokerTarget['spec'];
  /** Default: those that the broker accepts by itself. */
  readonly credentials?: BrokerCredentials;
  readonly own?: OwnCertificate;
  readonly logger?: Logger;
  readonly clock?: Clock;
}

/** The credentials that a scripted broker accepts by itself. */
export const scriptedCredentials: BrokerCredentials = { username: 'admin', password: 'broker-password' };

const addresses = brokerAddressPolicy(defaultBrokerSettings);

/** A connection to a scripted broker, without a registry. */
export function connectTo(broker: Pick<ScriptedBroker, 'url'>, options: ConnectOptions = {}): PooledConnection {
  const {
    spec = {},
    credentials = scriptedCredentials,
    own = {},
    logger = silentLogger,
    clock = systemClock,
  } = options;
  const target = { name: 'scripted', spec: { url: broker.url, ...spec }, credentials };
  return new PooledConnection({ target, own, addresses, logger, clock, onClosed: () => undefined });
}
