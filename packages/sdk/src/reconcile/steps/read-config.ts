import { isDeleting, type StepResult } from '@chandlery/runtime';
import { configNameOf } from '../../model/names.ts';
import type { Pass } from '../pass.ts';
import { reportWaiting } from '../run-stages.ts';

/** Reads the configuration that the object names, or else the one with the provider's name, and keeps it from going while the object needs it. */
export async function readConfig(pass: Pass): Promise<StepResult> {
  const { needs, object, step } = pass;
  const config = needs.guard.configOf(object);
  if (config === undefined) {
    reportWaiting(
      pass,
      `No ${needs.definition.config.kind} named "${configNameOf(object, needs.provider)}"; create it on the platform cluster${object.spec.providerConfigRef ? ', or name another in spec.providerConfigRef' : ''}.`,
    );
    return 'stop';
  }
  if (!isDeleting(object)) await needs.guard.hold(config, step.signal);
  pass.config = structuredClone(config);
  return 'continue';
}
