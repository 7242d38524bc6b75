import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { ChandleryError } from '@chandlery/api';
import type { Keyring } from '@chandlery/platform';
import { portErrorCodes } from '../../port-errors.ts';
import type { ClientCredentials, ClientRequest, IdentityProvider } from '../../ports.ts';
import { checkClientRequest } from './client-request.ts';
import type { ClientRecord, ClientStore } from './client-store.ts';

/** What the token of a service account says; the signer adds issuer, audience and times. */
export interface ServiceAccountClaims {
  readonly sub: string;
  readonly azp: string;
  readonly clientId: string;
  readonly preferred_username: string;
  readonly org_id: string;
  readonly instance_id: string;
}

/** What the identity provider is made of. */
export interface EmbeddedIdentityProviderDeps {
  readonly store: ClientStore;
  /** Encrypts the secrets of clients. */
  readonly keyring: Keyring;
}

const secretBytes = 32;

/** Clients of the landscape itself. Their secrets are stored encrypted, because each call returns the same one. */
export class EmbeddedIdentityProvider implements IdentityProvider {
  readonly #store: ClientStore;
  readonly #keyring: Keyring;

  constructor({ store, keyring }: EmbeddedIdentityProviderDeps) {
    this.#store = store;
    this.#keyring = keyring;
  }

  async ensureClient(request: ClientRequest): Promise<ClientCredentials> {
    checkClientRequest(request);
    const { clientId, name, instanceId, organisation } = request;
    const known = await this.#store.get(clientId);
    const sealedSecret = known === undefined ? this.#seal(clientId, randomBytes(secretBytes)) : '';
    // Another replica may have been faster: its secret counts.
    const record = known ?? (await this.#store.create({ clientId, name, instanceId, organisation, sealedSecret }));
    return { clientId, clientSecret: this.#open(record) };
  }

  removeClient(clientId: string): Promise<void> {
    return this.#store.delete(clientId);
  }

  /**
   * Checks a client's credentials (RFC 6749, 4.4) and returns the claims of its token. Rejects with `InvalidClient`,
   * the same for an unknown client and for a wrong secret.
   */
  async authenticate(clientId: string, clientSecret: string): Promise<ServiceAccountClaims> {
    const record = await this.#store.get(clientId);
    const expected = record === undefined ? randomBytes(secretBytes).toString('base64url') : this.#open(record);
    if (!isSameSecret(expected, clientSecret) || record === undefined) throw invalidClient();
    return {
      sub: `service-account-${clientId}`,
      azp: clientId,
      clientId,
      preferred_username: `service-account-${clientId}`,
      org_id: record.organisation,
      instance_id: record.instanceId,
    };
  }

  #seal(clientId: string, secret: Buffer): string {
    return Buffer.from(this.#keyring.encrypt(secret, contextOf(clientId))).toString('base64');
  }

  #open({ clientId, sealedSecret }: ClientRecord): string {
    const sealed = Buffer.from(sealedSecret, 'base64');
    return Buffer.from(this.#keyring.decrypt(sealed, contextOf(clientId))).toString('base64url');
  }
}

/** The secret of a client, encrypted with the key that encrypts now. */
export function resealClientSecret(keyring: Keyring, { clientId, sealedSecret }: ClientRecord): string {
  const secret = keyring.decrypt(Buffer.from(sealedSecret, 'base64'), contextOf(clientId));
  return Buffer.from(keyring.encrypt(secret, contextOf(clientId))).toString('base64');
}

/** Binds a ciphertext to its client. */
const contextOf = (clientId: string): string => `fleet-client/${clientId}`;

/** Hashes have the same length, whatever was sent. */
const isSameSecret = (left: string, right: string): boolean => timingSafeEqual(sha256(left), sha256(right));

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

const invalidClient = (): ChandleryError =>
  new ChandleryError(portErrorCodes.InvalidClient, 'the client is unknown or its secret is wrong');
