import { type RateLimit, TokenBucket } from '@chandlery/platform';
import { canonicalIp } from '../model/endpoints/canonical-ip.ts';

/** Machines behind one address that translates theirs may all start at once; each joins again every half an hour. */
const defaultLimit: RateLimit = { perSecond: 20, burst: 200 };
const defaultMaxSources = 10_000;

export interface SourceLimitsOptions {
  /** Of each source. Default: 20 per second, 200 at once. */
  readonly limit?: RateLimit;
  /** Sources that are remembered; beyond this, the one that was new first is forgotten. Default 10,000. */
  readonly maxSources?: number;
}

/** Limits the requests of each source, so that one cannot cost others theirs. */
export class SourceLimits {
  readonly #options: Required<SourceLimitsOptions>;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor({ limit = defaultLimit, maxSources = defaultMaxSources }: SourceLimitsOptions = {}) {
    this.#options = { limit, maxSources };
  }

  /** Takes a request of an address and returns 0, or returns how long its source has to wait. */
  tryTake(address: string, nowMs: number): number {
    const source = sourceOf(address);
    const bucket = this.#buckets.get(source) ?? this.#add(source, nowMs);
    return bucket.tryTake(nowMs);
  }

  #add(source: string, nowMs: number): TokenBucket {
    const { limit, maxSources } = this.#options;
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size >= maxSources && oldest !== undefined) this.#buckets.delete(oldest);
    const bucket = new TokenBucket(limit, nowMs);
    this.#buckets.set(source, bucket);
    return bucket;
  }
}

/** An IPv4 address, or the first 64 bits of an IPv6 address: a host has as many addresses of those as it likes. */
export function sourceOf(address: string): string {
  const ip = canonicalIp(address.split('%')[0] ?? '') ?? 'unknown';
  if (!ip.includes(':')) return ip;
  const [before = '', after] = ip.split('::');
  const groups = before === '' ? [] : before.split(':');
  const known = after === undefined || after === '' ? [] : after.split(':');
  const zeros = after === undefined ? 0 : 8 - groups.length - known.length;
  const all = [...groups, ...Array.from({ length: zeros }, () => '0'), ...known];
  return `${all.slice(0, 4).join(':')}::/64`;
}
