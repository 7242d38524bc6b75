import { fleetClusterName } from '../../kinds/index.ts';
import { targetOf } from '../../model/rollout.ts';
import type { RolloutCandidate, RolloutFacts } from '../../model/rollout-types.ts';
import { versionProblem } from '../../model/versions.ts';
import { type FleetRegistry, type InstanceRow, indexTerm, type RolloutRow } from '../../registry/fleet-registry.ts';

/** What a rollout sees of the fleet. All instances are looked at only when a wave begins. */
export function rolloutFacts(registry: FleetRegistry, rollout: RolloutRow, now: Date): RolloutFacts {
  const { product } = rollout.spec;
  const problemOf: RolloutFacts['problemOf'] = ({ clusterId = '', ...candidate }, target) => {
    const cluster = registry.clusters.get(fleetClusterName(product, clusterId));
    const problem = versionProblem(candidate, target, cluster?.status.operatorVersions);
    return problem === undefined ? undefined : `cluster ${clusterId}: ${problem}`;
  };
  return {
    now,
    find: id => {
      const row = registry.instances.get(id);
      return row && candidateOf(row);
    },
    candidates: () =>
      [...registry.instances.by('state', indexTerm(product, 'ready'))]
        .filter(row => isCovered(rollout, row))
        .map(candidateOf)
        .map(candidate => ({ candidate, rank: problemOf(candidate, targetOf(rollout.spec)) === undefined ? 0 : 1 }))
        .toSorted((a, b) => a.rank - b.rank || (a.candidate.id < b.candidate.id ? -1 : 1))
        .map(({ candidate }) => candidate),
    problemOf,
  };
}

const candidateOf = ({ id, status }: InstanceRow): RolloutCandidate => ({ id, ...status });

function isCovered({ spec }: RolloutRow, { spec: instance, status }: InstanceRow): boolean {
  const { product, operator } = targetOf(spec);
  const isElsewhere =
    (product !== undefined && status.desired?.product !== product) ||
    (operator !== undefined && status.desired?.operator !== operator);
  return (
    isElsewhere &&
    (spec.clusters === undefined || spec.clusters.includes(status.clusterId ?? '')) &&
    (spec.organisations === undefined || spec.organisations.includes(instance.organisation))
  );
}
