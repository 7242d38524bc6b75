import type { StepResult } from '@chandlery/runtime';
import type { InstanceStep } from '../instance-step.ts';

/** Removes the client at the identity provider. A failure is retried until the client no longer exists. */
export const removeClient: InstanceStep = async (draft, { adaptersOf }): Promise<StepResult> => {
  const { ssoClientId } = draft.status;
  if (ssoClientId === undefined) return 'continue';
  const { sso } = await adaptersOf(draft.spec.product);
  await sso?.removeClient(ssoClientId);
  return 'continue';
};
