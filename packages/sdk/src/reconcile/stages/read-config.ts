import { isDeleting, type StepResult } from '@chandlery/runtime';
import type { Pass } from '../pass.ts';
import { reportWaiting } from '../run-stages.ts';

/** Reads the configuration with the provider's name, and keeps it from going while the object needs it. */
export async function readConfig(pass: Pass): Promise<StepResult> {
  const { needs, object, step } = pass;
  const { config } = needs.guard;
  if (config === undefined) {
    reportWaiting(
      pass,
      `No ${needs.definition.config.kind} named "${needs.provider}"; create it on the platform cluster.`,
    );
    return 'stop';
  }
  if (!isDeleting(object)) await needs.guard.hold(config, step.signal);
  pass.config = structuredClone(config);
  return 'continue';
}
