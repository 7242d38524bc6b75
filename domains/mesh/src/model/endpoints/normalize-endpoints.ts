import type { Endpoint } from '../endpoint.ts';
import { compareEndpoints, compareText, healthRank, isSameEndpoint } from './endpoint-order.ts';

/**
 * Sorted, each once; of those that say different things of the same endpoint the fittest stands, whatever their order. Endpoints of which nothing
 * changed are the very objects of `previous`, and if nothing changed at all so is the list: who keeps something for an
 * endpoint can keep it for as long as the endpoint stays the same.
 */
export function normalizeEndpoints(
  endpoints: readonly Endpoint[],
  previous: readonly Endpoint[] = [],
): readonly Endpoint[] {
  const once = eachOnce(endpoints.toSorted((a, b) => compareEndpoints(a, b) || compareWords(a, b)));
  const kept = keepObjects(once, previous);
  return kept.length === previous.length && kept.every((endpoint, index) => endpoint === previous[index])
    ? previous
    : kept;
}

/** The fittest first, then who knows more; in any case the same order for the same words. */
const compareWords = (a: Endpoint, b: Endpoint): number =>
  healthRank[a.health] - healthRank[b.health] ||
  Number(a.serviceAccount === undefined) - Number(b.serviceAccount === undefined) ||
  compareText(wordsOf(a), wordsOf(b));

const wordsOf = ({ cluster, region, zone, weight, serviceAccount, source }: Endpoint): string =>
  JSON.stringify([serviceAccount, cluster, region, zone, weight, source]);

const eachOnce = (sorted: readonly Endpoint[]): readonly Endpoint[] =>
  sorted.filter((endpoint, index) => {
    const before = sorted[index - 1];
    return before === undefined || compareEndpoints(before, endpoint) !== 0;
  });

/** Both are sorted: one walk through the two finds what they share. */
function keepObjects(sorted: readonly Endpoint[], previous: readonly Endpoint[]): readonly Endpoint[] {
  let at = 0;
  return sorted.map(endpoint => {
    let known = previous[at];
    while (known !== undefined && compareEndpoints(known, endpoint) < 0) known = previous[++at];
    return known !== undefined && isSameEndpoint(known, endpoint) ? known : endpoint;
  });
}
