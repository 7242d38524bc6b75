import { badRequest, OrdersError } from '../../errors.ts';
import { timeOf } from './match-filter.ts';

const rfc3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/** How far back times may be, and when it is now. */
export interface TimeFrame {
  readonly now: Date;
  /** Undefined: everything is kept. */
  readonly retentionMs: number | undefined;
}

/**
 * Reads `at-time` into the form of the times of records, which compare as texts. Undefined for the present: when there is
 * none, or it is in the future. Throws `bad-request` and `at-time-too-old`.
 */
export function readAtTime(text: string | null | undefined, { now, retentionMs }: TimeFrame): string | undefined {
  if (text === null || text === undefined || text === '') return undefined;
  // A plus in a query that was not encoded arrives as a blank.
  const time = text.replace(/ (?=\d{2}:\d{2}$)/, '+');
  const ms = rfc3339.test(time) ? timeOf(time.toUpperCase()) : Number.NaN;
  if (Number.isNaN(ms)) throw badRequest(`at-time must be a time as of RFC 3339, not '${text.slice(0, 60)}'`);
  if (ms > now.getTime()) return undefined;
  if (retentionMs !== undefined && ms < now.getTime() - retentionMs)
    throw new OrdersError(
      'at-time-too-old',
      `What was before ${formatMicros(now.getTime() - retentionMs)} is not kept`,
      {
        name: 'at-time',
        value: text,
      },
    );
  return formatMicros(ms);
}

function formatMicros(ms: number): string {
  const whole = Math.floor(ms);
  const micros = Math.min(999, Math.round((ms - whole) * 1000));
  return new Date(whole).toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`);
}
