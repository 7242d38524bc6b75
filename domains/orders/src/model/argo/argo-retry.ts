import type { KubeObject } from '@chandlery/api';
import type { RetryOptions } from '@chandlery/workflow';
import { retryNodes, statusOf } from '../documents/workflow-nodes.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
}

/**
 * Returns a Workflow as Argo's own commands write it for a retry. The phase is empty: a controller that still works on the
 * end of the Workflow makes it Pending, and so notices it again, where it would ignore one that is Running.
 */
export function retryOnArgo(workflow: KubeObject, options: RetryOptions, now: string): KubeObject {
  const again = retryNodes(workflow, options);
  const { conditions = [], ...status } = statusOf(again) as { readonly conditions?: readonly Condition[] };
  const others = conditions.filter(({ type }) => type !== 'Completed');
  return {
    ...again,
    status: { ...status, phase: '', startedAt: now, conditions: [...others, { type: 'Completed', status: 'False' }] },
  };
}
