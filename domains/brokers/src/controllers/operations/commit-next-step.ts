import { isError } from '@chandlery/api';
import { commitAnew } from '@chandlery/registry';
import type { WorkResult } from '@chandlery/runtime';
import { smError } from '../../errors.ts';
import type { NextStep } from '../../model/operations/next-step.ts';
import { isEngineWork } from '../../model/operations/operation-state.ts';
import type { EngineDeps } from './engine-deps.ts';
import { type DecidedStep, nextStepWrites, type Sent } from './next-step-writes.ts';
import { goneWrites, resourceOf } from './operation-resource.ts';

/** Records what follows from a broker's response, in one commit, and returns when to requeue the operation. */
export async function commitNextStep(
  deps: EngineDeps,
  operationId: string,
  { step, sent }: { readonly step: NextStep; readonly sent: Sent },
): Promise<WorkResult> {
  const now = deps.clock.now();
  try {
    await commitOnce(deps, operationId, { step, sent, now });
    return resultOf(step);
  } catch (error) {
    // The response cannot be stored, so what the broker created would have no row: mitigate.
    if (!isError(error, 'Invalid') || step.type !== 'succeed') throw error;
    await commitOnce(deps, operationId, { step: malformed, sent, now });
    return { requeueAfterMs: 0 };
  }
}

const malformed: NextStep = {
  type: 'fail',
  error: smError('BrokerError', 'the broker responded with fields of the wrong type'),
  mitigates: true,
  discardsRow: false,
};

function resultOf(step: NextStep): WorkResult {
  switch (step.type) {
    case 'poll':
    case 'wait':
    case 'repeat':
      return { requeueAfterMs: step.delayMs };
    case 'fail':
      return step.mitigates ? { requeueAfterMs: 0 } : 'done';
    case 'succeed':
    case 'abandon':
      return 'done';
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
