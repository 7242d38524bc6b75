import { sessionStore } from '../session/session.ts';
import { usePageTitle } from '../shell/page-title.ts';
import { setTheme, type Theme, themeStore, themes } from '../shell/theme.ts';
import { useStore } from '../ui/store.ts';
import { setTimeFormat, type TimeFormat, timeFormatStore, timeFormats } from '../ui/time.tsx';

const themeWords: Readonly<Record<Theme, string>> = { system: 'As the system', light: 'Light', dark: 'Dark' };
const timeWords: Readonly<Record<TimeFormat, string>> = {
  relative: 'How long ago',
  local: 'Exact, in the zone of this browser',
  utc: 'Exact, in UTC',
};

/** What the user prefers. */
export function SettingsPage() {
  usePageTitle('Settings');
  const theme = useStore(themeStore);
  const timeFormat = useStore(timeFormatStore);
  const session = useStore(sessionStore);
  return (
    <>
      <header className="page-head">
        <h1>Settings</h1>
      </header>
      <div className="cards">
        <Choice title="Theme" values={themes} words={themeWords} selected={theme} onChoose={setTheme} />
        <Choice title="Times" values={timeFormats} words={timeWords} selected={timeFormat} onChoose={setTimeFormat} />
        <section className="card">
          <h2>Session</h2>
          <p>
            Signed in as <strong>{session?.username}</strong>. The session is held in memory and ends with this tab.
          </p>
        </section>
      </div>
    </>
  );
}

interface ChoiceProps<Value extends string> {
  readonly title: string;
  readonly values: readonly Value[];
  readonly words: Readonly<Record<Value, string>>;
  readonly selected: Value;
  readonly onChoose: (value: Value) => void;
}

function Choice<Value extends string>({ title, values, words, selected, onChoose }: ChoiceProps<Value>) {
  return (
    <fieldset className="card">
      <legend>{title}</legend>
      {values.map(value => (
        <label key={value} className="check">
          <input type="radio" name={title} checked={value === selected} onChange={() => onChoose(value)} />
          {words[value]}
        </label>
      ))}
    </fieldset>
  );
}
