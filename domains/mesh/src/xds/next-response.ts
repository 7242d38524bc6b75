import type { Answer, AnswerNeeds } from './response-deps.ts';
import type { Substream } from './substream.ts';
import { trackedAnswer } from './tracked-response.ts';
import { untrackedAnswer } from './untracked-response.ts';

/**
 * Decides what a substream is to be told, from the present state of the view, and notes it as told. Undefined when
 * there is nothing. Whoever calls sends it.
 */
export function nextAnswer(substream: Substream, needs: AnswerNeeds): Answer | undefined {
  const answer = substream.isTracked ? trackedAnswer(substream, needs) : untrackedAnswer(substream, needs);
  if (answer === undefined && substream.known !== undefined) substream.cameWithAll = true;
  substream.settle();
  return answer;
}
