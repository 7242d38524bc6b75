import type { StepContext, StepResult } from '@chandlery/runtime';
import type { ServiceObject } from '../../definition/service-kind.ts';
import { latePatch } from '../../model/late-initialization.ts';
import { fieldManagerOf } from '../../model/names.ts';
import { allowsOf, type ReconcileScope } from '../reconcile-scope.ts';

/**
 * Writes values that the service chose to fields that the tenant left open, with a field manager of its own. The write
 * causes a reconcile.
 */
export async function lateInitialize(
  object: ServiceObject,
  scope: ReconcileScope,
  step: StepContext,
): Promise<StepResult> {
  const { deps, observation } = scope;
  const { lateInitialized: declared = [], api } = deps.definition;
  if (!allowsOf(scope).has('LateInitialize')) return 'continue';
  const patch = latePatch(object, { declared, chosen: observation?.chosen ?? {} });
  if (patch === undefined) return 'continue';
  const { namespace, name = '', uid, resourceVersion } = object.metadata;
  const body = { ...patch, metadata: { ...(patch['metadata'] as object), uid, resourceVersion } };
  const fieldManager = `${fieldManagerOf(deps.provider)}.late-init`;
  await deps.onboarding.patch(
    { ...api.ref, namespace, name },
    { type: 'merge', body },
    { fieldManager, signal: step.signal },
  );
  return 'stop';
}
