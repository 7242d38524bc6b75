import { concurrencyError, type RepeatDecision } from '../../model/osb/repeat-decision.ts';
import { jsonResponse, type OsbResponse } from './osb-response.ts';

/**
 * What our record answers to a request; undefined when the broker must be asked. The record of what goes on rests on the
 * platform's polls: before a request is refused because of it, `refresh` asks the broker how far it is.
 */
export async function respondFromRecord(
  decide: () => RepeatDecision,
  refresh: () => Promise<void>,
): Promise<OsbResponse | undefined> {
  const first = decide();
  if (first.type !== 'busy') return answerOf(first);
  await refresh();
  return answerOf(decide());
}

function answerOf(decision: RepeatDecision): OsbResponse | undefined {
  switch (decision.type) {
    case 'forward':
      return undefined;
    case 'answer':
      return jsonResponse(decision.status, decision.body);
    case 'busy':
      throw concurrencyError();
    case 'refuse':
      throw decision.error;
  }
}
