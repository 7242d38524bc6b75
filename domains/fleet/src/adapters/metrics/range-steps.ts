import type { MetricsRangeQuery } from '../../ports.ts';

/** The moments for which a range query has values. */
export interface RangeSteps {
  readonly startMs: number;
  readonly endMs: number;
  readonly stepMs: number;
}

/** Returns the steps of a query that ends now. The interval is widened where there would be more than `maxSteps`. */
export function rangeSteps(query: MetricsRangeQuery, endMs: number, maxSteps: number): RangeSteps {
  const durationMs = query.durationMinutes * 60_000;
  const stepMs = Math.max(query.intervalSeconds, Math.ceil(durationMs / 1000 / maxSteps)) * 1000;
  // The last step is now, so that the newest values are there whatever the interval.
  return { startMs: endMs - Math.floor(durationMs / stepMs) * stepMs, endMs, stepMs };
}
