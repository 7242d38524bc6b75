import type { Endpoint } from '../endpoint.ts';
import { compareEndpoints, endpointKey, healthRank } from './endpoint-order.ts';

/**
 * Merges the endpoints of one service from several providers, sorted and without duplicates. The first provider
 * describes an endpoint that several have. If both name the same cluster, the worse health applies, because the
 * provider that reports it has newer information. The same address in another cluster is a different machine that
 * cannot be distinguished, and is left out.
 */
export function mergeEndpoints(lists: readonly (readonly Endpoint[])[]): readonly Endpoint[] {
  const filled = lists.filter(list => list.length > 0);
  // A single list is already sorted and without duplicates.
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
