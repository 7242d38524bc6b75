import { classifyError, type StepResult } from '@chandlery/runtime';
import { clientIdOf } from '../../model/names.ts';
import { type InstanceStep, productOf } from '../instance-step.ts';

/**
 * Makes the instance's client at the identity provider. Its id is in the instance before, so that the deletion of the
 * instance finds it, whatever happens meanwhile. What the provider rejects for good fails the instance.
 */
export const ensureClient: InstanceStep = async (draft, { adaptersOf }, context): Promise<StepResult> => {
  const { row } = productOf(context);
  const { sso } = await adaptersOf(row.id);
  if (sso === undefined) return 'continue';
  const clientId = clientIdOf(row.spec.kind, draft.id);
  if (draft.status.ssoClientId !== clientId) {
    draft.apply({ type: 'client-named', ssoClientId: clientId });
    return 'stop';
  }
  try {
    draft.notes.credentials = await sso.ensureClient({
      clientId,
      name: `${row.spec.kind} ${draft.spec.name ?? draft.id}`,
      instanceId: draft.id,
      organisation: draft.spec.organisation,
    });
  } catch (error) {
    if (classifyError(error) === 'terminal') draft.apply({ type: 'client-named', ssoClientId: undefined });
    throw error;
  }
  return 'continue';
};
