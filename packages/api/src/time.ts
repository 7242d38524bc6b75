const rfc3339 = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,]\d+)?(?:Z|[+-](\d\d):(\d\d))$/;

/** RFC 3339 with whole seconds in UTC, as Kubernetes' Time: `2026-01-02T03:04:05Z`. */
export const formatTime = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

/** RFC 3339 with six digits, as Kubernetes' MicroTime: `2026-01-02T03:04:05.678000Z`. */
export const formatMicroTime = (time: Date): string => `${time.toISOString().slice(0, 23)}000Z`;

/** Parses any RFC 3339 time, with or without a fraction or an offset; undefined when it is none or no day of the calendar. */
export function parseTime(text: string): Date | undefined {
  if (!isTime(text)) return undefined;
  return new Date(text.replace(',', '.').replace(/(\.\d{3})\d+/, '$1'));
}

/** True when {@link parseTime} would understand the text. Cheaper: validation asks for every time in every object. */
export function isTime(text: string): boolean {
  const match = rfc3339.exec(text);
  if (match === null) return false;
  const [, day = '', hours, minutes, seconds, offsetHours = 0, offsetMinutes = 0] = match;
  const isClock = Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) < 60;
  return isClock && Number(offsetHours) < 24 && Number(offsetMinutes) < 60 && isCalendarDay(day);
}

const isLeapYear = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** True for `2024-02-29`, not for `2023-02-29`, which JavaScript would take for the 1st of March. */
export function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))];
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

interface AgeStep {
  /** Applies to ages below so many seconds. */
  readonly below: number;
  readonly unit: number;
  readonly letter: string;
  readonly rest?: { readonly unit: number; readonly letter: string };
}

/** The older, the coarser: kubectl's steps. */
const ageSteps: readonly AgeStep[] = [
  { below: 2 * minute, unit: 1, letter: 's' },
  { below: 10 * minute, unit: minute, letter: 'm', rest: { unit: 1, letter: 's' } },
  { below: 3 * hour, unit: minute, letter: 'm' },
  { below: 8 * hour, unit: hour, letter: 'h', rest: { unit: minute, letter: 'm' } },
  { below: 2 * day, unit: hour, letter: 'h' },
  { below: 8 * day, unit: day, letter: 'd', rest: { unit: hour, letter: 'h' } },
  { below: 2 * year, unit: day, letter: 'd' },
  { below: 8 * year, unit: year, letter: 'y', rest: { unit: day, letter: 'd' } },
  { below: Number.POSITIVE_INFINITY, unit: year, letter: 'y' },
];

/** An age as kubectl prints it: `5s`, `2m30s`, `3h20m`, `10d`; `<unknown>` without a time, `<invalid>` for the future. */
export function formatAge(from: Date | string | undefined, now: Date): string {
  const start = typeof from === 'string' ? parseTime(from) : from;
  if (start === undefined) return '<unknown>';
  return formatDuration(now.getTime() - start.getTime());
}

/** A duration in milliseconds, in the same words. Clocks may differ by up to two seconds before it is `<invalid>`. */
export function formatDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds <= 0) return '0s';
  const step = ageSteps.find(({ below }) => seconds < below);
  if (step === undefined) return '<invalid>';
  const { unit, letter, rest } = step;
  const whole = `${Math.floor(seconds / unit)}${letter}`;
  const restCount = rest === undefined ? 0 : Math.floor((seconds % unit) / rest.unit);
  return restCount === 0 ? whole : `${whole}${restCount}${rest?.letter}`;
}

/** How long something took, or takes already, in the same words; empty before it has started. */
export function formatElapsed(
  { startedAt, finishedAt }: { readonly startedAt?: string | undefined; readonly finishedAt?: string | undefined },
  now: Date,
): string {
  const start = Date.parse(startedAt ?? '');
  if (Number.isNaN(start)) return '';
  const end = finishedAt === undefined ? now.getTime() : Date.parse(finishedAt);
  return formatDuration(Math.max(0, end - start));
}
