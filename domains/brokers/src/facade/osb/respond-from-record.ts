import { concurrencyError, type RepeatDecision } from '../../model/osb/repeat-decision.ts';
import { jsonResponse, type OsbResponse } from './osb-response.ts';

/**
 * The response that follows from the record; undefined when the broker must be called. The record of operations in
 * progress depends on the platform's polls, so `refresh` polls the broker before a request is rejected as busy.
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
