import { isDeleting, type StepContext, type StepResult } from '@chandlery/runtime';
import type { ServiceObject } from '../../definition/service-kind.ts';
import { configNameOf } from '../../model/names.ts';
import type { ReconcileScope } from '../reconcile-scope.ts';
import { reportWaiting } from '../run-service-steps.ts';

/**
 * Reads the configuration that the object refers to, or else the one with the provider's name, and protects it from
 * deletion while the object uses it.
 */
export async function readConfig(object: ServiceObject, scope: ReconcileScope, step: StepContext): Promise<StepResult> {
  const { deps } = scope;
  const config = deps.guard.configOf(object);
  if (config === undefined) {
    reportWaiting(
      scope,
      `No ${deps.definition.config.kind} named "${configNameOf(object, deps.provider)}"; create it on the platform cluster${object.spec.providerConfigRef ? ', or name another in spec.providerConfigRef' : ''}.`,
    );
    return 'stop';
  }
  if (!isDeleting(object)) await deps.guard.hold(config, step.signal);
  scope.config = structuredClone(config);
  return 'continue';
}
