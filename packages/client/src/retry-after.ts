/** The longest that one call waits at a time for a server that asks to be left alone. */
const maxWaitMs = 60_000;

/** How long a `Retry-After` header (seconds or a date) asks to wait; undefined when there is none that makes sense. */
export function retryAfterMs(header: string | undefined, now: Date): number | undefined {
  if (header === undefined || header.trim() === '') return undefined;
  const waitMs = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now.getTime();
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), maxWaitMs);
}
