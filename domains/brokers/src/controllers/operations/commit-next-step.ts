import { isError } from '@chandlery/api';
import { commitAnew } from '@chandlery/registry';
import { smError } from '../../errors.ts';
import type { NextStep } from '../../model/operations/next-step.ts';
import { isEngineWork } from '../../model/operations/operation-state.ts';
import type { EngineDeps, RequeueAfter } from './engine-deps.ts';
import { type DecidedStep, nextStepWrites, type Sent } from './next-step-writes.ts';
import { goneWrites, resourceOf } from './operation-resource.ts';

/** Records what follows from a broker's answer, in one commit, and says when to look at the operation again. */
export async function commitNextStep(
  deps: EngineDeps,
  operationId: string,
  { step, sent }: { readonly step: NextStep; readonly sent: Sent },
): Promise<RequeueAfter> {
  const now = deps.clock.now();
  try {
    await commitOnce(deps, operationId, { step, sent, now });
    return requeueAfter(step);
  } catch (error) {
    // The response cannot be stored, so what the broker created would have no row: mitigate.
    if (!isError(error, 'Invalid') || step.type !== 'succeed') throw error;
    await commitOnce(deps, operationId, { step: malformed, sent, now });
    return 0;
  }
}

const malformed: NextStep = {
  type: 'fail',
  error: smError('BrokerError', 'the broker responded with fields of the wrong type'),
  mitigates: true,
  discardsRow: false,
};

function requeueAfter(step: NextStep): RequeueAfter {
  switch (step.type) {
    case 'poll':
    case 'wait':
    case 'repeat':
      return step.delayMs;
    case 'fail':
      return step.mitigates ? 0 : undefined;
    case 'succeed':
    case 'abandon':
      return undefined;
  }
}

const commitOnce = ({ registry }: EngineDeps, operationId: string, decided: DecidedStep): Promise<void> =>
  commitAnew(registry, () => {
    const operation = registry.operations.get(operationId);
    if (operation === undefined || !isEngineWork(operation)) return [];
    const resource = resourceOf(registry, operation);
    if (resource === undefined) return goneWrites(registry, operation);
    return nextStepWrites(registry, { operation, resource }, decided);
  });
