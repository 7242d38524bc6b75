import type { Client } from '@chandlery/client';
import type { Clock, CurrentAuthority, Keyring, Logger } from '@chandlery/platform';
import { terminalError } from '@chandlery/runtime';
import type { FleetConfiguration } from '../model/configuration/configuration.ts';
import type { CertificateIssuer, DnsZone, IdentityProvider, ProductAdapters } from '../ports.ts';
import type { FleetRegistry } from '../registry/fleet-registry.ts';
import { AcmeIssuer } from './certificates/acme/acme-issuer.ts';
import { storedAccountKey } from './certificates/acme/stored-account-key.ts';
import { createLandscapeIssuer } from './certificates/landscape-issuer.ts';
import type { EmbeddedZones } from './dns/embedded-zones.ts';
import { Rfc2136DnsZone } from './dns/rfc2136-zone.ts';
import { Route53DnsZone } from './dns/route53-zone.ts';
import { EmbeddedIdentityProvider } from './sso/embedded-identity-provider.ts';
import { KeycloakIdentityProvider } from './sso/keycloak-identity-provider.ts';
import { createResourceClientStore } from './sso/resource-client-store.ts';

/** What adapters are made from. */
export interface AdapterDeps {
  readonly registry: FleetRegistry;
  /** Of the logical cluster of the fleet. */
  readonly client: Client;
  readonly zones: EmbeddedZones;
  /** Signs certificates of instances. */
  readonly authority: CurrentAuthority;
  /** Encrypts the secrets of clients. */
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Opened {
  readonly revision: number;
  readonly adapters: Promise<ProductAdapters>;
  readonly stack: AsyncDisposableStack;
}

/** How long calls by adapters that were replaced may still take. */
const replacedMs = 60_000;

/** Opens the adapters that the configuration of a product names, and others when it changes. */
export class ProductAdapterPool implements AsyncDisposable {
  readonly #deps: AdapterDeps;
  readonly #opened = new Map<string, Opened>();

  constructor(deps: AdapterDeps) {
    this.#deps = deps;
  }

  /** Returns the adapters of a product's present configuration. A deleted product has none. */
  readonly of = (productId: string): Promise<ProductAdapters> => {
    const row = this.#deps.registry.products.get(productId);
    if (row === undefined) return Promise.resolve({ dns: undefined, sso: undefined, certificates: undefined });
    const known = this.#opened.get(productId);
    if (known?.revision === row.revision) return known.adapters;
    const stack = new AsyncDisposableStack();
    const adapters = this.#deps.registry.configurations
      .readWithSecrets(row)
      .then(configuration => openAdapters(configuration, this.#deps, stack));
    this.#opened.set(productId, { revision: row.revision, adapters, stack });
    // What cannot be opened is tried again by the next caller.
    adapters.catch(() => this.#opened.delete(productId));
    if (known !== undefined) setTimeout(() => void this.#close(known), replacedMs).unref();
    return adapters;
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#opened.values()].map(opened => this.#close(opened)));
  }

  async #close({ stack }: Opened): Promise<void> {
    await stack
      .disposeAsync()
      .catch((error: unknown) => this.#deps.logger.warn('an adapter could not be closed', { error }));
  }
}

async function openAdapters(
  configuration: FleetConfiguration,
  deps: AdapterDeps,
  stack: AsyncDisposableStack,
): Promise<ProductAdapters> {
  const dns = await openZone(configuration, deps, stack);
  return {
    dns,
    sso: openIdentityProvider(configuration, deps, stack),
    certificates: await openIssuer(configuration, deps, { dns, stack }),
  };
}

async function openZone(
  { dns }: FleetConfiguration,
  { zones }: AdapterDeps,
  stack: AsyncDisposableStack,
): Promise<DnsZone | undefined> {
  switch (dns.type) {
    case 'none':
      return undefined;
    case 'embedded':
      return zones.open(dns);
    case 'rfc2136':
      return new Rfc2136DnsZone(dns);
    case 'route53': {
      const { endpoint, ...options } = dns;
      return stack.use(await Route53DnsZone.open({ ...options, ...(endpoint === undefined ? {} : { endpoint }) }));
    }
  }
}

function openIdentityProvider(
  { sso }: FleetConfiguration,
  { client, keyring, clock }: AdapterDeps,
  stack: AsyncDisposableStack,
): IdentityProvider | undefined {
  switch (sso.type) {
    case 'none':
      return undefined;
    case 'embedded':
      return new EmbeddedIdentityProvider({ store: createResourceClientStore(client), keyring });
    case 'keycloak':
      return stack.use(new KeycloakIdentityProvider({ ...sso, clock }));
  }
}

async function openIssuer(
  { certificates, product }: FleetConfiguration,
  { authority, client, clock }: AdapterDeps,
  { dns, stack }: { readonly dns: DnsZone | undefined; readonly stack: AsyncDisposableStack },
): Promise<CertificateIssuer | undefined> {
  switch (certificates.type) {
    case 'none':
      return undefined;
    case 'embedded':
      return createLandscapeIssuer({ authority, clock });
    case 'acme': {
      if (dns === undefined) throw terminalError('ACME needs a DNS zone, and the product has none');
      const { directoryUrl, email } = certificates;
      const accountKeyPem = await storedAccountKey(client, product.id);
      const contact = email === undefined ? {} : { contact: [`mailto:${email}`] };
      return stack.use(new AcmeIssuer({ zone: dns, directoryUrl, accountKeyPem, ...contact }));
    }
  }
}
