import { isError } from '@chandlery/api';
import { commitAnew } from '@chandlery/registry';
import { smError } from '../../errors.ts';
import type { Verdict } from '../../model/operations/next-step.ts';
import { isEngineWork } from '../../model/operations/operation-state.ts';
import type { EngineNeeds, LookAgain } from './engine-deps.ts';
import { type Judged, type Sent, verdictWrites } from './next-step-writes.ts';
import { goneWrites, resourceOf } from './operation-resource.ts';

/** Records what follows from a broker's answer, in one commit, and says when to look at the operation again. */
export async function settleVerdict(
  needs: EngineNeeds,
  operationId: string,
  { verdict, sent }: { readonly verdict: Verdict; readonly sent: Sent },
): Promise<LookAgain> {
  const now = needs.clock.now();
  try {
    await commitVerdict(needs, operationId, { verdict, sent, now });
    return lookAgainAfter(verdict);
  } catch (error) {
    // What the broker said cannot be stored: nobody would know of what it made.
    if (!isError(error, 'Invalid') || verdict.type !== 'succeed') throw error;
    await commitVerdict(needs, operationId, { verdict: malformed, sent, now });
    return 0;
  }
}

const malformed: Verdict = {
  type: 'fail',
  error: smError('BrokerError', 'the broker answered with fields of the wrong type'),
  mitigates: true,
  discardsRow: false,
};

function lookAgainAfter(verdict: Verdict): LookAgain {
  switch (verdict.type) {
    case 'poll':
    case 'wait':
    case 'repeat':
      return verdict.delayMs;
    case 'fail':
      return verdict.mitigates ? 0 : undefined;
    case 'succeed':
    case 'abandon':
      return undefined;
  }
}

const commitVerdict = ({ registry }: EngineNeeds, operationId: string, judged: Judged): Promise<void> =>
  commitAnew(registry, () => {
    const operation = registry.operations.get(operationId);
    if (operation === undefined || !isEngineWork(operation)) return [];
    const resource = resourceOf(registry, operation);
    if (resource === undefined) return goneWrites(registry, operation);
    return verdictWrites(registry, { operation, resource }, judged);
  });
