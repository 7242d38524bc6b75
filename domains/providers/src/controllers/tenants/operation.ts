import type { KubeObject } from '@chandlery/api';
import { hasPausedAnnotation, type StepResult } from '@chandlery/runtime';
import { providerNames } from '../../kinds/index.ts';

/** For `isPaused` of controllers: `openmcp.cloud/operation: ignore` pauses like our own annotation. */
export const isIgnored = (object: KubeObject): boolean =>
  hasPausedAnnotation(object) || operationOf(object) === 'ignore';

/** Removes `openmcp.cloud/operation: reconcile`: this is the requested reconcile. */
export function takeOperation(object: KubeObject): StepResult {
  if (operationOf(object) !== 'reconcile') return 'continue';
  const { [providerNames.operationAnnotation]: _, ...annotations } = object.metadata.annotations ?? {};
  object.metadata.annotations = annotations;
  return 'continue';
}

const operationOf = ({ metadata }: KubeObject): string | undefined =>
  metadata.annotations?.[providerNames.operationAnnotation];
