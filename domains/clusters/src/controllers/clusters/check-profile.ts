import { type StepContext, type StepResult, setCondition, terminalError } from '@chandlery/runtime';
import type { Cluster } from '../../kinds/cluster.ts';
import { findCapabilityProblem } from '../../model/clusters/capabilities.ts';
import { clusterPhase } from '../../model/clusters/cluster-phase.ts';
import { findVersionProblem } from '../../model/clusters/supported-version.ts';
import type { ClusterDeps } from './cluster-deps.ts';

/** Rejects a cluster that cannot be created, until it or its profile changes. */
export function checkProfile(cluster: Cluster, deps: ClusterDeps, { now }: StepContext): StepResult {
  const problem = findProblem(cluster, deps);
  if (problem === undefined) return 'continue';
  setCondition(cluster, { type: 'Ready', status: 'False', ...problem }, now);
  cluster.status = { ...cluster.status, phase: clusterPhase(cluster) };
  throw terminalError(problem.message);
}

interface Problem {
  readonly reason: string;
  readonly message: string;
}

function findProblem(cluster: Cluster, deps: ClusterDeps): Problem | undefined {
  const profile = deps.profileOf(cluster);
  const { profile: name } = cluster.spec;
  if (profile === undefined) {
    return {
      reason: 'ProfileMissing',
      message: `There is no ClusterProfile "${name}"; create it, or delete the cluster.`,
    };
  }
  if (deps.sourceOf(cluster) === undefined) return unknownSource(name, deps.sourceNames);
  const unfit = findCapabilityProblem(profile);
  if (unfit !== undefined) return { reason: 'ConfigurationProblem', message: unfit };
  const message = findVersionProblem(cluster, profile);
  return message === undefined ? undefined : { reason: 'UnsupportedVersion', message };
}

const unknownSource = (profile: string, known: readonly string[]): Problem => ({
  reason: 'ConfigurationProblem',
  message: `The ClusterProfile "${profile}" names no way to make clusters; set its spec.providerConfigRef.name to one of: ${known.join(', ')}.`,
});
