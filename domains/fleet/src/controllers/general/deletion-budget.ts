/**
 * Limits deletions that no user requested, for each product: so many at once, and then one more each time its share of a
 * minute has passed.
 */
export class DeletionBudget {
  readonly #buckets = new Map<string, { tokens: number; atMs: number }>();

  /** Takes one deletion. Returns 0, or how many milliseconds to wait until there is one. */
  take(product: string, maxPerMinute: number, now: Date): number {
    const nowMs = now.getTime();
    const bucket = this.#buckets.get(product) ?? { tokens: maxPerMinute, atMs: nowMs };
    const refilled = bucket.tokens + ((nowMs - bucket.atMs) / 60_000) * maxPerMinute;
    const tokens = Math.min(maxPerMinute, Math.max(refilled, 0));
    const isAllowed = tokens >= 1;
    this.#buckets.set(product, { tokens: isAllowed ? tokens - 1 : tokens, atMs: nowMs });
    return isAllowed ? 0 : Math.ceil(((1 - tokens) / Math.max(maxPerMinute, 0.001)) * 60_000);
  }
}
