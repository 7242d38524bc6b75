import type { Endpoint } from '../endpoint.ts';
import { compareEndpoints, compareText, healthRank, isSameEndpoint } from './endpoint-order.ts';

/**
 * Sorts endpoints and removes duplicates; of different descriptions of one endpoint the healthiest is kept, independent
 * of their order. Unchanged endpoints are the objects of `previous`, and an unchanged list is `previous` itself, so
 * that data cached by endpoint stays valid.
 */
export function normalizeEndpoints(
  endpoints: readonly Endpoint[],
  previous: readonly Endpoint[] = [],
): readonly Endpoint[] {
  const once = eachOnce(endpoints.toSorted((a, b) => compareEndpoints(a, b) || compareDescriptions(a, b)));
  const kept = keepObjects(once, previous);
  return kept.length === previous.length && kept.every((endpoint, index) => endpoint === previous[index])
    ? previous
    : kept;
}

/** Healthier first, then those with a service account; otherwise a stable order. */
const compareDescriptions = (a: Endpoint, b: Endpoint): number =>
  healthRank[a.health] - healthRank[b.health] ||
  Number(a.serviceAccount === undefined) - Number(b.serviceAccount === undefined) ||
  compareText(descriptionOf(a), descriptionOf(b));

const descriptionOf = ({ cluster, region, zone, weight, serviceAccount, source }: Endpoint): string =>
  JSON.stringify([serviceAccount, cluster, region, zone, weight, source]);

const eachOnce = (sorted: readonly Endpoint[]): readonly Endpoint[] =>
  sorted.filter((endpoint, index) => {
    const before = sorted[index - 1];
    return before === undefined || compareEndpoints(before, endpoint) !== 0;
  });

/** Merges two sorted lists and reuses equal objects. */
function keepObjects(sorted: readonly Endpoint[], previous: readonly Endpoint[]): readonly Endpoint[] {
  let at = 0;
  return sorted.map(endpoint => {
    let known = previous[at];
    while (known !== undefined && compareEndpoints(known, endpoint) < 0) known = previous[++at];
    return known !== undefined && isSameEndpoint(known, endpoint) ? known : endpoint;
  });
}
