import type { BrokerOperation } from './broker-records.ts';
import type { BrokerState } from './broker-state.ts';
import { answer, badRequest, gone, noSuch, type OsbAnswer, type OsbRequest } from './osb-answers.ts';

/** `GET …/last_operation` of an instance or a binding. */
export function answerPoll(state: BrokerState, id: string, { query }: OsbRequest): OsbAnswer {
  const thing = state.instances.get(id) ?? state.bindings.get(id);
  if (thing === undefined) return pollOfNothing(state, id);
  const { operation } = thing;
  if (operation === undefined) return answer(200, { state: 'succeeded' });
  const asked = query.get('operation');
  if (asked !== null && asked !== operation.id) return badRequest(`no such operation`);
  if (operation.state === 'in progress') {
    if (operation.pollsLeft > 0) {
      operation.pollsLeft -= 1;
      return { ...answer(200, { state: 'in progress', description: 'still at it' }), headers: { 'retry-after': '1' } };
    }
    state.finish(id);
  }
  return state.instances.has(id) || state.bindings.has(id) ? ended(operation) : pollOfNothing(state, id);
}

const ended = ({ state, details }: BrokerOperation): OsbAnswer => answer(200, { state, ...details });

function pollOfNothing(state: BrokerState, id: string): OsbAnswer {
  const deletion = state.endedDeletion(id);
  if (deletion === undefined) return noSuch('instance or binding');
  return deletion.status === 410 ? gone() : ended(deletion.operation);
}
