import type { KubeObject } from '@chandlery/api';

interface ContainerStatus {
  readonly image?: string;
  readonly state?: { readonly waiting?: { readonly reason?: string; readonly message?: string } };
}

const imageTroubles: ReadonlySet<string> = new Set(['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName']);
const otherTroubles: ReadonlySet<string> = new Set(['CreateContainerConfigError', 'CreateContainerError']);

/**
 * Why a pod does not run; undefined when nothing blocks it. A pod with a missing image alternates between two states:
 * both give the same text.
 */
export function podObstacle(pod: KubeObject | undefined): string | undefined {
  const { containerStatuses = [] } = (pod?.['status'] ?? {}) as { containerStatuses?: readonly ContainerStatus[] };
  for (const { image = '', state } of containerStatuses) {
    const { reason = '', message = 'no reason is given' } = state?.waiting ?? {};
    if (imageTroubles.has(reason)) return `its image "${image}" cannot be had`;
    if (otherTroubles.has(reason)) return message;
  }
  return undefined;
}
