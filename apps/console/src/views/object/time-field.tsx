import { useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { momentOf, textOfMoment } from './moment.ts';

interface TimeFieldProps {
  readonly label: string;
  /** RFC 3339; empty: none. */
  readonly value: string;
  /** Gets the chosen moment as RFC 3339; empty: none. */
  readonly onChoose: (value: string) => void;
}

/** A moment, in the zone of the browser, chosen by Enter or the button. */
export function TimeField({ label, value, onChoose }: TimeFieldProps) {
  const [text, setText] = useState(() => textOfMoment(value));
  useEffect(() => setText(textOfMoment(value)), [value]);
  return (
    <form
      className="field-inline time-field"
      onSubmit={event => {
        event.preventDefault();
        onChoose(momentOf(text));
      }}
    >
      <label className="field-inline">
        <span>{label}</span>
        <input type="datetime-local" step="1" value={text} onChange={event => setText(event.target.value)} />
      </label>
      <Button type="submit">Show</Button>
    </form>
  );
}
