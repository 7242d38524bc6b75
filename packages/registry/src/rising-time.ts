import type { Clock } from '@chandlery/platform';

/** Returns a strictly monotonic clock: RFC 3339 with microseconds, later with every call. */
export function createRisingTime(clock: Clock): () => string {
  let lastMicros = 0;
  // Many rows are written within one millisecond: it is formatted once.
  let textMillis = -1;
  let text = '';
  return () => {
    lastMicros = Math.max(clock.now().getTime() * 1000, lastMicros + 1);
    const millis = Math.floor(lastMicros / 1000);
    if (millis !== textMillis) {
      textMillis = millis;
      text = new Date(millis).toISOString().slice(0, 23);
    }
    return `${text}${String(lastMicros % 1000).padStart(3, '0')}Z`;
  };
}
