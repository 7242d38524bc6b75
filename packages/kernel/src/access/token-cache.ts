import { hash } from 'node:crypto';

export interface TokenCacheOptions {
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number;
  /** How long a verified token is cached. Default 10,000. */
  readonly ttlMs?: number;
  /** Default 4096 tokens. */
  readonly limit?: number;
}

/**
 * Remembers for a few seconds what a verified token says, because checking a signature costs more than most requests.
 *
 * Tokens are kept as digests only. Failures are not remembered.
 */
export class TokenCache<T> {
  readonly #now: () => number;
  readonly #ttlMs: number;
  readonly #limit: number;
  readonly #entries = new Map<string, { readonly value: T; readonly untilMs: number }>();

  constructor({ now = Date.now, ttlMs = 10_000, limit = 4096 }: TokenCacheOptions = {}) {
    this.#now = now;
    this.#ttlMs = ttlMs;
    this.#limit = limit;
  }

  /** The remembered value, or what `verify` answers. Never remembers beyond the token's own end. */
  async get(
    { token, expiresAtMs }: { readonly token: string; readonly expiresAtMs?: number },
    verify: () => Promise<T>,
  ): Promise<T> {
    const key = hash('sha256', token, 'base64');
    const known = this.#entries.get(key);
    if (known !== undefined && this.#now() < known.untilMs) return known.value;
    const value = await verify();
    this.#remember(key, {
      value,
      untilMs: Math.min(this.#now() + this.#ttlMs, expiresAtMs ?? Number.POSITIVE_INFINITY),
    });
    return value;
  }

  #remember(key: string, entry: { readonly value: T; readonly untilMs: number }): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size <= this.#limit) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
