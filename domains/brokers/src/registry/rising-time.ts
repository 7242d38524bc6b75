import type { Clock } from '@chandlery/platform';

/** Tells the time in RFC 3339 with microseconds, each time a later one. */
export function createRisingTime(clock: Clock): () => string {
  let lastMicros = 0;
  return () => {
    lastMicros = Math.max(clock.now().getTime() * 1000, lastMicros + 1);
    const millis = Math.floor(lastMicros / 1000);
    const rest = String(lastMicros % 1000).padStart(3, '0');
    return `${new Date(millis).toISOString().slice(0, 23)}${rest}Z`;
  };
}
