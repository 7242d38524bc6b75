import { type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { RetainedService } from '../../kinds/index.ts';
import { troublesOf } from '../../model/retained-services/held-requests.ts';
import { findHeld } from './find-held.ts';
import type { RetainedDeps } from './retained-deps.ts';

/** Reports whether the service still has its requests, and how to end it. */
export async function reportRetained(
  retained: RetainedService,
  deps: RetainedDeps,
  { now, key }: StepContext,
): Promise<StepResult> {
  const { held, pending, missing } = await findHeld(retained.spec.requests ?? [], key, deps);
  const problem = problemOf(troublesOf(held), pending, missing);
  retained.status = { ...retained.status, phase: problem === undefined ? 'Ready' : 'Progressing' };
  setCondition(
    retained,
    problem === undefined
      ? { type: 'Ready', status: 'True', reason: 'Retained', message: howItEnds(retained) }
      : { type: 'Ready', status: 'False', ...problem },
    now,
  );
  return 'continue';
}

function problemOf(troubles: readonly string[], pending: readonly string[], missing: readonly string[]) {
  if (pending.length > 0)
    return { reason: 'HandingOver', message: `The order still holds ${pending.toSorted().join(', ')}.` };
  if (missing.length > 0) {
    const message = `It has lost ${missing.toSorted().join(', ')}, by an order that takes it over or by an operator on the platform cluster.`;
    return { reason: 'RequestsMissing', message };
  }
  return troubles.length === 0
    ? undefined
    : { reason: 'RequestsNotGranted', message: `Not granted: ${troubles.join(', ')}.` };
}

const howItEnds = ({ spec: { service } }: RetainedService): string =>
  `The service of ${service.kind} "${service.name}" continues to run. Deleting this object ends it; a new ${service.kind} of this name takes it over.`;
