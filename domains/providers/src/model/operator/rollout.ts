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
  const progress = isSeen
    ? `${updatedReplicas} of ${wanted} replicas are up to date, ${availableReplicas} available`
    : 'its last change is not seen yet';
  return {
    type: 'RunReady',
    status: 'False',
    reason: trouble === undefined ? 'RolloutProgressing' : 'RolloutFailed',
    message: `Deployment ${name} is not ready: ${trouble ?? progress}; see its pods.`,
  };
}

function troubleOf(deployment: Deployment): string | undefined {
  const progressing = findCondition(deployment, 'Progressing');
  if (progressing?.status === 'False') return progressing.message || progressing.reason;
  const failure = findCondition(deployment, 'ReplicaFailure');
  return failure?.status === 'True' ? failure.message || failure.reason : undefined;
}
