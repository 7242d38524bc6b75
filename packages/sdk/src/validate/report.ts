/** The result of one row of the validation. */
export interface StepResult {
  /** `2c`. */
  readonly id: string;
  readonly title: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Why it failed or was skipped. */
  readonly message?: string;
  readonly durationMs: number;
}

/** The report of a validation. */
export interface ValidationReport {
  readonly provider: string;
  readonly isPassed: boolean;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly steps: readonly StepResult[];
}

const marks = { passed: '✔', failed: '✖', skipped: '-' } as const;

const seconds = (durationMs: number): string => `${(durationMs / 1000).toFixed(1)} s`;

/** Renders one line of the report. */
export function renderStep({ id, title, outcome, message, durationMs }: StepResult): string {
  const line = `${marks[outcome]} ${id.padEnd(9)} ${title}`;
  const time = outcome === 'skipped' ? '' : ` (${seconds(durationMs)})`;
  return message === undefined ? `${line}${time}` : `${line}${time}\n    ${message}`;
}

/** Renders the summary of the report. */
export function renderSummary({ provider, isPassed, durationMs, steps }: ValidationReport): string {
  const count = (outcome: StepResult['outcome']): number => steps.filter(step => step.outcome === outcome).length;
  const counts = `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`;
  return `${isPassed ? `${provider} is valid` : `${provider} is NOT valid`}: ${counts} in ${seconds(durationMs)}`;
}
