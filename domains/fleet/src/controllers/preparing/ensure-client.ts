import type { StepResult } from '@chandlery/runtime';
import { type InstanceStep, productOf } from '../instance-step.ts';

/** Makes the instance's client at the identity provider. What the provider rejects for good fails the instance. */
export const ensureClient: InstanceStep = async (draft, { adaptersOf }, context): Promise<StepResult> => {
  const { row } = productOf(context);
  const { sso } = await adaptersOf(row.id);
  if (sso === undefined) return 'continue';
  draft.notes.credentials = await sso.ensureClient({
    clientId: `${row.spec.kind.toLowerCase()}-${draft.id}`,
    name: `${row.spec.kind} ${draft.spec.name ?? draft.id}`,
    instanceId: draft.id,
    organisation: draft.spec.organisation,
  });
  return 'continue';
};
