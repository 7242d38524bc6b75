import { type Level, levelOf } from './meter-level.ts';

/** Symbol, word and colour of each level. */
const levels: Readonly<Record<Level, { readonly symbol: string; readonly word: string; readonly state: string }>> = {
  closed: { symbol: '–', word: 'Closed', state: 'exists' },
  full: { symbol: '✗', word: 'Full', state: 'failed' },
  scarce: { symbol: '!', word: 'Nearly full', state: 'deleting' },
  free: { symbol: '✓', word: 'Has room', state: 'ready' },
};

interface MeterProps {
  /** What is measured, for screen readers. */
  readonly label: string;
  readonly used: number;
  /** Undefined: there is none. */
  readonly limit: number | undefined;
}

/** What is used of a limit: numbers, a word, and a bar. */
export function Meter({ label, used, limit }: MeterProps) {
  if (limit === undefined)
    return (
      <span className="meter">
        <span>
          {used} <span className="quiet">in use, no limit</span>
        </span>
      </span>
    );
  const { symbol, word, state } = levels[levelOf(used, limit)];
  const percent = limit === 0 ? 0 : Math.min(100, (used / limit) * 100);
  return (
    <span className="meter">
      <span>
        {used} of {limit}{' '}
        <span className={`state state-${state}`}>
          <span aria-hidden="true">{symbol}</span> {word}
        </span>
      </span>
      <span
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={Math.max(limit, 1)}
        aria-valuenow={Math.min(used, Math.max(limit, 1))}
        aria-valuetext={`${used} of ${limit}`}
        className={`meter-bar state-${state}`}
      >
        <span className="meter-fill" style={{ width: `${percent}%` }} />
      </span>
    </span>
  );
}
