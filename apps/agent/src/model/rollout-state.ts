import type { KubeObject } from '@chandlery/api';

/** How far a workload is. */
export type RolloutState =
  /** All replicas run what was asked for. */
  | { readonly type: 'complete' }
  /** Nothing runs, as asked. */
  | { readonly type: 'stopped' }
  | { readonly type: 'progressing'; readonly isServing: boolean; readonly message: string }
  | { readonly type: 'failed'; readonly isServing: boolean; readonly message: string };

interface Workload extends KubeObject {
  spec?: { replicas?: number };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    updatedReplicas?: number;
    availableReplicas?: number;
    conditions?: readonly { type: string; status: string; reason?: string; message?: string }[];
  };
}

/** Whether the readiness of an instance depends on the object. */
export const isWorkload = ({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): boolean =>
  apiVersion === 'apps/v1' && (kind === 'Deployment' || kind === 'StatefulSet');

/** How far a Deployment or StatefulSet is. */
export function rolloutState(object: KubeObject): RolloutState {
  const { metadata, spec = {}, status = {} } = object as Workload;
  const { replicas: desired = 1 } = spec;
  const { observedGeneration = 0, replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  const isServing = availableReplicas > 0;
  const what = `${object.kind} ${metadata.name ?? ''}`;
  if (observedGeneration < (metadata.generation ?? 0))
    return { type: 'progressing', isServing, message: `${what} has changed` };
  if (desired === 0 && replicas === 0) return { type: 'stopped' };
  if (updatedReplicas === desired && replicas === desired && availableReplicas === desired) return { type: 'complete' };
  const deadline = status.conditions?.find(({ type, status: value }) => type === 'Progressing' && value === 'False');
  if (deadline !== undefined) {
    const where = `its pods in namespace ${metadata.namespace ?? ''} of the cluster say why`;
    return { type: 'failed', isServing, message: `${what}: ${deadline.message ?? ''} (${where})` };
  }
  const message = `${what}: ${availableReplicas} of ${desired} replicas are available, ${updatedReplicas} are updated`;
  return { type: 'progressing', isServing, message };
}
