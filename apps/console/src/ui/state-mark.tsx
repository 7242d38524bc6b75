import type { ObjectState } from '@chandlery/api';

/** Symbol and word of each state: colour alone never carries the meaning. */
export const stateWords: Readonly<Record<ObjectState, { readonly symbol: string; readonly word: string }>> = {
  failed: { symbol: '✗', word: 'Failed' },
  deleting: { symbol: '◌', word: 'Deleting' },
  waiting: { symbol: '◐', word: 'In progress' },
  exists: { symbol: '–', word: 'No status' },
  ready: { symbol: '✓', word: 'Ready' },
};

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
