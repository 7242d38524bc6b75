import type { StepResult } from '@chandlery/runtime';
import type { InstanceStep } from '../instance-step.ts';

/** Obtains a certificate for the host. */
export const issueCertificate: InstanceStep = async (draft, { adaptersOf }): Promise<StepResult> => {
  const { certificates } = await adaptersOf(draft.spec.product);
  if (certificates !== undefined)
    draft.notes.certificate = await certificates.issue({ hosts: [draft.notes.host ?? ''] });
  return 'continue';
};
