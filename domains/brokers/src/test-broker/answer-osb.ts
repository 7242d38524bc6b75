import { answerBinding } from './binding-routes.ts';
import type { BrokerState } from './broker-state.ts';
import { answerInstance } from './instance-routes.ts';
import { answer, type OsbAnswer, type OsbRequest } from './osb-answers.ts';
import { answerPoll } from './poll-routes.ts';

/** What a broker that keeps to the specification answers, and what it then remembers. */
export function answerOsb(state: BrokerState, request: OsbRequest): OsbAnswer {
  const { method, segments } = request;
  const [root, instanceId, next, bindingId, last] = segments;
  if (root === 'catalog' && segments.length === 1)
    return method === 'GET' ? { status: 200, body: state.catalog } : answer(405);
  if (root !== 'service_instances' || !instanceId) return answer(404);
  if (segments.length === 2) return answerInstance(state, instanceId, request);
  if (segments.length === 3 && next === 'last_operation') return answerPoll(state, instanceId, request);
  if (next !== 'service_bindings' || !bindingId) return answer(404);
  if (segments.length === 4) return answerBinding(state, { instanceId, id: bindingId }, request);
  if (segments.length === 5 && last === 'last_operation') return answerPoll(state, bindingId, request);
  return answer(404);
}
