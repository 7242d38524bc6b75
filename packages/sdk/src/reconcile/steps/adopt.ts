import type { StepResult } from '@chandlery/runtime';
import type { ServiceObject } from '../../definition/service-kind.ts';
import { deleteReceipt, findReceipt } from '../receipts.ts';
import type { ReconcileScope } from '../reconcile-scope.ts';
import { endRetention } from '../retention.ts';

/**
 * Deletes receipt and RetainedService of an earlier object with the same name, once this object has taken over its
 * content.
 */
export async function adopt(object: ServiceObject, scope: ReconcileScope): Promise<StepResult> {
  const { deps } = scope;
  const isReadyFirst = scope.report?.isReady !== false && object.status?.firstReadyTime === undefined;
  if (!isReadyFirst) return 'continue';
  const wasRetained = await endRetention(scope);
  if (!wasRetained && (await findReceipt(scope)) === undefined) return 'continue';
  deps.recorder.record(object, {
    type: 'Normal',
    reason: 'Adopted',
    message: `${object.kind} "${object.metadata.name}" took over what an earlier object of its name had let go.`,
  });
  await deleteReceipt(scope);
  return 'continue';
}
