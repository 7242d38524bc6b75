import type { StepResult } from '@chandlery/runtime';
import { latePatch } from '../../model/late-initialization.ts';
import { fieldManagerOf } from '../../model/names.ts';
import { allowsOf, type Pass } from '../pass.ts';

/** Writes back, in its own name, what the service chose for fields that the tenant left open. The write causes a pass. */
export async function lateInitialize(pass: Pass): Promise<StepResult> {
  const { needs, object, step, observation } = pass;
  const { lateInitialized: declared = [], api } = needs.definition;
  if (!allowsOf(pass).has('LateInitialize')) return 'continue';
  const patch = latePatch(object, { declared, chosen: observation?.chosen ?? {} });
  if (patch === undefined) return 'continue';
  const { namespace, name = '', uid, resourceVersion } = object.metadata;
  const body = { ...patch, metadata: { ...(patch['metadata'] as object), uid, resourceVersion } };
  const fieldManager = `${fieldManagerOf(needs.provider)}.late-init`;
  await needs.onboarding.patch(
    { ...api.ref, namespace, name },
    { type: 'merge', body },
    { fieldManager, signal: step.signal },
  );
  return 'stop';
}
