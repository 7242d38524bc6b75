import { maxRules } from '../kinds/smi/limits.ts';
import type { SmiTrafficSplit } from '../kinds/smi/traffic-split.ts';
import { serviceKey } from '../model/service-name.ts';
import type { HttpMatch, TrafficSplit } from '../model/topology.ts';

/** Of several splits of one root the oldest applies, of equally old ones the first by name. */
export function chooseSplit(splits: readonly SmiTrafficSplit[]): SmiTrafficSplit | undefined {
  return splits.toSorted(byAge)[0];
}

function byAge({ metadata: one }: SmiTrafficSplit, { metadata: other }: SmiTrafficSplit): number {
  const [a, b] = [one.creationTimestamp ?? '', other.creationTimestamp ?? ''];
  if (a !== b) return a < b ? -1 : 1;
  return (one.name ?? '') < (other.name ?? '') ? -1 : 1;
}

/** Resolves a split with the matches of its groups. Missing groups, or too many, match no request. */
export function resolveSplit(
  { metadata, spec }: SmiTrafficSplit,
  groupMatches: (namespace: string, name: string) => readonly HttpMatch[],
): TrafficSplit {
  const { namespace = '', name = '' } = metadata;
  const groups = (spec.matches?.length ?? 0) > maxRules ? [] : (spec.matches ?? []);
  const backends = spec.backends
    .filter(({ weight }) => Number.isSafeInteger(weight) && weight >= 0)
    .map(({ service, weight }) => ({ service: { namespace, name: service }, weight }))
    .sort((one, other) => (serviceKey(one.service) < serviceKey(other.service) ? -1 : 1));
  return {
    source: `${namespace}/${name}`,
    root: { namespace, name: spec.service },
    backends,
    ...(spec.matches === undefined ? {} : { matches: groups.flatMap(match => groupMatches(namespace, match.name)) }),
  };
}
