import { type StepContext, type StepResult, terminalError } from '@chandlery/runtime';
import type { Provider } from '../../kinds/index.ts';
import { namesakeProblem, problemOf } from '../../model/operator/check-spec.ts';
import type { OperatorNeeds } from './needs.ts';
import { reportNotInstalled } from './report.ts';

/** Stops at what only the author of the provider can put right. */
export function checkSpec(provider: Provider, needs: OperatorNeeds, { now }: StepContext): StepResult {
  const message = problemOf(provider) ?? namesakeProblem(needs.findElder(provider));
  if (message === undefined) return 'continue';
  reportNotInstalled(provider, { hasFailed: true, message }, now);
  throw terminalError(message);
}
