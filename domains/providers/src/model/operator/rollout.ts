import type { KubeObject } from '@chandlery/api';
import { findCondition, type StatedCondition } from '@chandlery/runtime';

interface Deployment extends KubeObject {
  spec?: { readonly replicas?: number };
  status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
  };
}

/**
 * The rollout state of the run part: complete when all replicas have the newest template and are available, and no
 * others are left. `obstacle` is what keeps its newest pod from running.
 */
export function readRollout(deployment: Deployment, obstacle?: string): StatedCondition {
  const { name, generation = 0 } = deployment.metadata;
  const { observedGeneration = 0, replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = deployment.status ?? {};
  const wanted = deployment.spec?.replicas ?? 1;
  const isSeen = observedGeneration >= generation;
  if (isSeen && updatedReplicas >= wanted && replicas <= updatedReplicas && availableReplicas >= wanted) {
    return { type: 'RunReady', status: 'True', reason: 'RolloutComplete' };
  }
  const trouble = obstacle ?? troubleOf(deployment);
  return {
    type: 'RunReady',
    status: 'False',
    reason: trouble === undefined ? 'RolloutProgressing' : 'RolloutFailed',
    message: `Deployment ${name} is not ready: ${trouble ?? progressOf(deployment)}; see its pods.`,
  };
}

function progressOf({ metadata: { generation = 0 }, spec, status = {} }: Deployment): string {
  const { observedGeneration = 0, replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  if (observedGeneration < generation) return 'its last change is not seen yet';
  const wanted = spec?.replicas ?? 1;
  const isWaitingForOld = updatedReplicas >= wanted && availableReplicas >= wanted && replicas > updatedReplicas;
  return isWaitingForOld
    ? `the new version is available, and ${replicas - updatedReplicas} of the replicas before have not ended`
    : `${updatedReplicas} of ${wanted} replicas are up to date, ${availableReplicas} available`;
}

function troubleOf(deployment: Deployment): string | undefined {
  const progressing = findCondition(deployment, 'Progressing');
  if (progressing?.status === 'False') return progressing.message || progressing.reason;
  const failure = findCondition(deployment, 'ReplicaFailure');
  return failure?.status === 'True' ? failure.message || failure.reason : undefined;
}
