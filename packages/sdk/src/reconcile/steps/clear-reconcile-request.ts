import { providerNames } from '@chandlery/providers/kinds';
import type { StepResult } from '@chandlery/runtime';
import type { ServiceObject } from '../../definition/service-kind.ts';

/** Takes the request for a reconcile off the object; writing it causes the pass that was asked for. */
export function clearReconcileRequest(object: ServiceObject): StepResult {
  const annotations = object.metadata.annotations ?? {};
  if (annotations[providerNames.operationAnnotation] !== 'reconcile') return 'continue';
  const { [providerNames.operationAnnotation]: _, ...others } = annotations;
  object.metadata.annotations = others;
  return 'stop';
}
