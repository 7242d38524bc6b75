import { type ObjectState, objectStates } from '@chandlery/api';
import { useEffect, useRef, useState } from 'react';
import type { ServerTable } from '../../api/table.ts';
import { changeQuery } from '../../routing/location.ts';
import { stateWords } from '../../ui/state-words.ts';

const typingPauseMs = 250;

interface FilterFieldProps {
  readonly label: string;
  /** The query parameter that it sets. */
  readonly parameter: string;
  readonly value: string;
  readonly placeholder: string;
}

/** A field whose text is part of the address, a moment after it was typed. */
export function FilterField({ label, parameter, value, placeholder }: FilterFieldProps) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const onChange = (next: string): void => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () => changeQuery({ [parameter]: next.trim(), page: undefined }, { replace: true }),
      typingPauseMs,
    );
  };
  return (
    <label className="field-inline">
      <span>{label}</span>
      <input
        type="search"
        value={text}
        placeholder={placeholder}
        spellCheck={false}
        data-filter={parameter}
        onChange={event => onChange(event.target.value)}
      />
    </label>
  );
}

interface StateChipsProps {
  readonly counts: ServerTable['metadata']['stateCounts'];
  readonly selected: string;
}

/** How many objects are in which state; choosing one shows only those. */
export function StateChips({ counts = {}, selected }: StateChipsProps) {
  const present = objectStates.filter(state => (counts[state] ?? 0) > 0 || state === selected);
  // That no object has a state is no choice.
  if (present.length === 0 || (present.length === 1 && present[0] === 'exists' && selected === '')) return null;
  const toggle = (state: ObjectState): void =>
    changeQuery({ state: state === selected ? undefined : state, page: undefined }, { replace: true });
  return (
    <div className="chips" role="group" aria-label="Filter by state">
      {present.map(state => (
        <button
          key={state}
          type="button"
          className={`chip state-${state}`}
          aria-pressed={state === selected}
          onClick={() => toggle(state)}
        >
          <span aria-hidden="true">{stateWords[state].symbol}</span> {stateWords[state].word}{' '}
          {(counts[state] ?? 0).toLocaleString()}
        </button>
      ))}
    </div>
  );
}
