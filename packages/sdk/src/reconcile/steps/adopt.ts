import type { StepResult } from '@chandlery/runtime';
import type { Pass } from '../pass.ts';
import { deleteReceipt, findReceipt } from '../receipts.ts';
import { endRetention } from '../retention.ts';

/** Once an object stands on what an earlier one of its name let go, neither receipt nor RetainedService is needed. */
export async function adopt(pass: Pass): Promise<StepResult> {
  const { object, needs } = pass;
  const isReadyFirst = pass.report?.isReady !== false && object.status?.firstReadyTime === undefined;
  if (!isReadyFirst) return 'continue';
  const wasRetained = await endRetention(pass);
  if (!wasRetained && (await findReceipt(pass)) === undefined) return 'continue';
  needs.recorder.record(object, {
    type: 'Normal',
    reason: 'Adopted',
    message: `${object.kind} "${object.metadata.name}" took over what an earlier object of its name had let go.`,
  });
  await deleteReceipt(pass);
  return 'continue';
}
