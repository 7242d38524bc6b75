import { isError, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { workflowLabels } from '../../kinds/workflows/index.ts';
import { podFinalizer } from './build-pod.ts';

/** Lets a pod go: nothing more is needed of it. */
export async function removeFinalizer(client: Client, { metadata }: KubeObject): Promise<void> {
  const { namespace = '', name = '', uid, finalizers = [] } = metadata;
  if (!finalizers.includes(podFinalizer)) return;
  const body = {
    metadata: {
      ...(uid !== undefined && { uid }),
      labels: { [workflowLabels.completed]: 'true' },
      finalizers: finalizers.filter(finalizer => finalizer !== podFinalizer),
    },
  };
  try {
    await client.patch({ group: '', version: 'v1', plural: 'pods', namespace, name }, { type: 'merge', body });
  } catch (error) {
    if (!isError(error, 'NotFound') && !isError(error, 'Conflict')) throw error;
  }
}
