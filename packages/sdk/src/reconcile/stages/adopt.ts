import type { StepResult } from '@chandlery/runtime';
import type { Pass } from '../pass.ts';
import { deleteReceipt, findReceipt } from '../receipts.ts';

/** Once an object stands on what an earlier one of its name let go, the receipt has served. */
export async function adopt(pass: Pass): Promise<StepResult> {
  const { object, needs } = pass;
  const isReadyFirst = pass.report?.isReady !== false && object.status?.firstReadyTime === undefined;
  if (!isReadyFirst || (await findReceipt(pass)) === undefined) return 'continue';
  needs.recorder.record(object, {
    type: 'Normal',
    reason: 'Adopted',
    message: `${object.kind} "${object.metadata.name}" took over what an earlier object of its name had let go.`,
  });
  await deleteReceipt(pass);
  return 'continue';
}
