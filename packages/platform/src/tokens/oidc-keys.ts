import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { Clock } from '../time/clock.ts';
import { type FetchOptions, fetchJson } from './fetch-json.ts';
import { tokenError } from './token-errors.ts';

/** Whose keys, and how often they are asked for. */
export interface OidcKeysOptions extends FetchOptions {
  readonly issuer: string;
  readonly clock: Clock;
  /** Keys older than this are fetched again, beside the work. Default: ten minutes. */
  readonly maxAgeMs?: number;
  /** An unknown key id, or a failure, leads to no more than one fetch in this time. Default: ten seconds. */
  readonly cooldownMs?: number;
}

/**
 * The public keys of an OpenID provider, fetched when first needed and kept.
 *
 * Keys once seen are used on while the provider cannot be reached, so that its outage hurts only whom it must.
 */
export class OidcKeys {
  readonly #options: Required<Omit<OidcKeysOptions, 'ca'>> & OidcKeysOptions;
  #keys: JWTVerifyGetKey | undefined;
  #fetchedAtMs = Number.NEGATIVE_INFINITY;
  #attemptedAtMs = Number.NEGATIVE_INFINITY;
  #failure: unknown;
  #pending: Promise<JWTVerifyGetKey> | undefined;

  constructor(options: OidcKeysOptions) {
    this.#options = { maxAgeMs: 10 * 60 * 1000, cooldownMs: 10 * 1000, ...options };
  }

  /** The keys known now. Rejects with `OidcUnavailable` when there have never been any. */
  async current(): Promise<JWTVerifyGetKey> {
    if (this.#keys === undefined)
      return this.#isCoolingDown() && this.#pending === undefined ? this.#fail() : this.#fetch();
    // The request at hand does not wait for the newer keys, and can do without them.
    if (this.#isOld() && !this.#isCoolingDown()) this.#fetch().catch(() => undefined);
    return this.#keys;
  }

  /** Newer keys than those a token's key id was not found in; undefined when they were fetched just now. */
  async newer(): Promise<JWTVerifyGetKey | undefined> {
    if (this.#pending !== undefined) return this.#pending;
    return this.#isCoolingDown() ? undefined : this.#fetch();
  }

  /** All who need keys at the same time share one fetch. */
  #fetch(): Promise<JWTVerifyGetKey> {
    this.#pending ??= this.#fetchOnce().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #fetchOnce(): Promise<JWTVerifyGetKey> {
    this.#attemptedAtMs = this.#nowMs();
    try {
      this.#keys = createLocalJWKSet(await fetchKeySet(this.#options));
      this.#fetchedAtMs = this.#nowMs();
      return this.#keys;
    } catch (cause) {
      this.#failure = cause;
      return this.#fail();
    }
  }

  #fail(): never {
    const why = this.#failure instanceof Error ? this.#failure.message : String(this.#failure);
    throw tokenError('OidcUnavailable', `cannot get the keys of OpenID provider ${this.#options.issuer}: ${why}`, {
      hint: 'Check that the provider runs and can be reached from here, and that its certificate is trusted (caFile).',
      cause: this.#failure,
    });
  }

  #isOld(): boolean {
    return this.#nowMs() - this.#fetchedAtMs >= this.#options.maxAgeMs;
  }

  #isCoolingDown(): boolean {
    return this.#nowMs() - this.#attemptedAtMs < this.#options.cooldownMs;
  }

  #nowMs(): number {
    return this.#options.clock.now().getTime();
  }
}

/** True for addresses that cannot be tampered with on the way: https, or this very machine. */
export function isSafeAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname));
}

/** OpenID Connect Discovery 1.0, section 4. */
async function fetchKeySet({ issuer, ...options }: OidcKeysOptions): Promise<JSONWebKeySet> {
  const discovery = await fetchJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, options);
  const { issuer: received, jwks_uri: keysAddress } = (discovery ?? {}) as Record<string, unknown>;
  if (received !== issuer) throw new Error(`its discovery document is that of issuer ${JSON.stringify(received)}`);
  if (typeof keysAddress !== 'string' || !isSafeAddress(keysAddress))
    throw new Error('its discovery document names no safe jwks_uri');
  const keySet = (await fetchJson(keysAddress, options)) as JSONWebKeySet | null;
  if (!Array.isArray(keySet?.keys)) throw new Error(`${keysAddress} did not answer a key set`);
  return keySet;
}
