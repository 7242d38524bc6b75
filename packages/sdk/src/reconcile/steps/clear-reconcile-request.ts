import { providerNames } from '@chandlery/providers/kinds';
import type { StepResult } from '@chandlery/runtime';
import type { ServiceObject } from '../../definition/service-kind.ts';

/** Removes the annotation that requests a reconcile; the write causes that reconcile. */
export function clearReconcileRequest(object: ServiceObject): StepResult {
  const annotations = object.metadata.annotations ?? {};
  if (annotations[providerNames.operationAnnotation] !== 'reconcile') return 'continue';
  const { [providerNames.operationAnnotation]: _, ...others } = annotations;
  object.metadata.annotations = others;
  return 'stop';
}
