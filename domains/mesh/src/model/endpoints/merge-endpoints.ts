import type { Endpoint } from '../endpoint.ts';
import { compareEndpoints, endpointKey, healthRank } from './endpoint-order.ts';

/**
 * The endpoints of one service from several providers as one list, sorted, each once. What two lists have is described
 * by the first of them. If both mean the same cluster its health is the worse of the two: who knows that it is ill or
 * leaving knows more. In another cluster the same address is another machine, which cannot be told apart and is left out.
 */
export function mergeEndpoints(lists: readonly (readonly Endpoint[])[]): readonly Endpoint[] {
  const filled = lists.filter(list => list.length > 0);
  // Each list is sorted and without repetitions already.
  if (filled.length <= 1) return filled[0] ?? [];
  const merged = new Map<string, Endpoint>();
  for (const endpoint of filled.flat()) {
    const key = endpointKey(endpoint);
    const known = merged.get(key);
    merged.set(key, known === undefined ? endpoint : withWorseHealth(known, endpoint));
  }
  return [...merged.values()].sort(compareEndpoints);
}

function withWorseHealth(known: Endpoint, other: Endpoint): Endpoint {
  const isWorse = healthRank[other.health] > healthRank[known.health];
  return isWorse && other.cluster === known.cluster ? { ...known, health: other.health } : known;
}
