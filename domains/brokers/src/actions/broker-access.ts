import { type AddressSettings } from '../model/catalog/address-policy.ts';
import { credentialsOf } from '../model/catalog/broker-secret.ts';
import { checkBrokerAddress } from '../model/catalog/check-broker-address.ts';
import { checkBrokerCredentials } from '../model/catalog/check-broker-credentials.ts';
import type { BrokerRow, Registry } from '../model/rows.ts';
import type { BrokerConnections, BrokerCredentials } from '../ports.ts';
import type { BrokerSettings } from '../settings.ts';
import { type FetchedCatalog, fetchCatalog } from './fetch-catalog.ts';

/** What is needed to talk to brokers. */
export interface BrokerAccessDeps {
  readonly registry: Pick<Registry, 'readSecret'>;
  readonly connections: Pick<BrokerConnections, 'tryOut'>;
  readonly settings: AddressSettings & Pick<BrokerSettings, 'allowInsecureBrokers' | 'clientCertificate'>;
}

/** How a broker is called. */
export interface BrokerAccess {
  readonly id: string;
  readonly spec: BrokerRow['spec'];
  readonly credentials: BrokerCredentials;
}

/** Throws `BadRequest` unless a broker can be called in this way. */
export function checkAccess({ settings }: BrokerAccessDeps, { spec, credentials }: BrokerAccess): void {
  checkBrokerAddress(spec, settings);
  checkBrokerCredentials({ spec, credentials, hasServerCertificate: settings.clientCertificate !== undefined });
}

/** Fetches a broker's catalog over a connection for this once, so that nothing depends on what is registered. */
export async function fetchCatalogWith(
  { connections }: BrokerAccessDeps,
  { id, spec, credentials }: BrokerAccess,
  { correlationId }: { readonly correlationId: string },
): Promise<FetchedCatalog> {
  const target = { name: spec.name ?? id, spec };
  await using connection = connections.tryOut({ ...target, credentials });
  return await fetchCatalog(connection, { target, correlationId });
}

/** The credentials that are kept for a broker. */
export async function keptCredentials(
  { registry }: BrokerAccessDeps,
  { tenant, spec: { credentialsSecret } }: Pick<BrokerRow, 'tenant' | 'spec'>,
): Promise<BrokerCredentials> {
  if (credentialsSecret === undefined) return {};
  return credentialsOf(await registry.readSecret(tenant, credentialsSecret));
}
