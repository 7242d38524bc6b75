import { type StepContext, type StepResult, terminalError } from '@chandlery/runtime';
import type { Provider } from '../../kinds/index.ts';
import { namesakeProblem, problemOf } from '../../model/operator/check-spec.ts';
import type { OperatorDeps } from './operator-deps.ts';
import { reportNotInstalled } from './report.ts';

/** Stops at problems that only the author of the provider can fix. */
export function checkSpec(provider: Provider, deps: OperatorDeps, { now }: StepContext): StepResult {
  const message = problemOf(provider) ?? namesakeProblem(deps.findElder(provider));
  if (message === undefined) return 'continue';
  reportNotInstalled(provider, { hasFailed: true, message }, now);
  throw terminalError(message);
}
