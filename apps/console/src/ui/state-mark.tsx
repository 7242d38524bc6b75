import type { ObjectState } from '@chandlery/api';
import { stateWords } from './state-words.ts';

interface StateMarkProps {
  readonly state: ObjectState;
  readonly reason?: string | undefined;
  /** Default: those of the state. */
  readonly symbol?: string | undefined;
  readonly word?: string | undefined;
}

export function StateMark({
  state,
  reason,
  symbol = stateWords[state].symbol,
  word = stateWords[state].word,
}: StateMarkProps) {
  return (
    <span className={`state state-${state}`} title={reason}>
      <span aria-hidden="true">{symbol}</span> {word}
    </span>
  );
}
