import { stateWords } from './state-words.ts';
import type { Step, StepState } from './steps.ts';

const marks: Readonly<Record<StepState, { readonly symbol: string; readonly word: string; readonly state: string }>> = {
  done: { symbol: stateWords.ready.symbol, word: 'done', state: 'ready' },
  now: { symbol: stateWords.waiting.symbol, word: 'in progress', state: 'waiting' },
  failed: { symbol: stateWords.failed.symbol, word: 'failed', state: 'failed' },
  later: { symbol: '○', word: 'not begun', state: 'exists' },
};

/** The steps of something in their order, and how far it is. */
export const StepLine = ({ label, steps }: { readonly label: string; readonly steps: readonly Step[] }) => (
  <ol className="steps" aria-label={label}>
    {steps.map(({ name, state }) => (
      <li key={name} aria-current={state === 'now' ? 'step' : undefined}>
        <span className={`state state-${marks[state].state}`}>
          <span aria-hidden="true">{marks[state].symbol}</span>
          <span className="spoken"> {marks[state].word}:</span>
        </span>{' '}
        {name}
      </li>
    ))}
  </ol>
);
