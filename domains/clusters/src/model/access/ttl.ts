import { parseTime } from '@chandlery/api';

const unitsMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
const part = /(\d+(?:\.\d+)?)(h|ms|m|s)/g;
const whole = /^(?:\d+(?:\.\d+)?(?:h|ms|m|s))+$/;

/** Parses `30m`, `24h`, `1h30m` to milliseconds; undefined for anything else and for zero. */
export function parseTtlMs(text: string): number | undefined {
  if (!whole.test(text)) return undefined;
  let totalMs = 0;
  for (const [, amount, unit = ''] of text.matchAll(part)) totalMs += Number(amount) * (unitsMs[unit] ?? 0);
  return Number.isSafeInteger(Math.round(totalMs)) && totalMs > 0 ? totalMs : undefined;
}

/** The lifetime of a request. */
export type Lifetime =
  | { readonly type: 'endless' }
  | { readonly type: 'until'; readonly expiresAt: Date }
  /** The text cannot be parsed. */
  | { readonly type: 'invalid'; readonly ttl: string };

/** The latest time of a Date. */
const lastDayMs = 8.64e15;

/** The end of a request: its ttl counts from its creation. */
export function lifetimeOf(ttl: string | undefined, creationTimestamp: string | undefined): Lifetime {
  if (ttl === undefined) return { type: 'endless' };
  const createdAt = parseTime(creationTimestamp ?? '');
  const ttlMs = parseTtlMs(ttl);
  if (ttlMs === undefined) return { type: 'invalid', ttl };
  if (createdAt === undefined) return { type: 'endless' };
  return { type: 'until', expiresAt: new Date(Math.min(createdAt.getTime() + ttlMs, lastDayMs)) };
}

export const hasExpired = (lifetime: Lifetime, now: Date): boolean =>
  lifetime.type === 'until' && lifetime.expiresAt.getTime() <= now.getTime();

/** How long to wait until the request is certainly expired: a second more than is left. */
export function msToExpiry(lifetime: Lifetime, now: Date): number | undefined {
  if (lifetime.type !== 'until') return undefined;
  return Math.max(0, lifetime.expiresAt.getTime() - now.getTime()) + 1000;
}
