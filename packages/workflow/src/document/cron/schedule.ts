import { WorkflowError } from '../../errors.ts';

/** The values that fields of a schedule allow. A day matches as robfig's cron has it: by both fields, or by either when both are restricted. */
export interface FieldSchedule {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  readonly isAnyDay: boolean;
  readonly isAnyWeekday: boolean;
  /** The zone that the schedule itself names (`CRON_TZ=…`). */
  readonly timezone: string | undefined;
}

/** A schedule, or an interval (`@every 1h`) in seconds. */
export type Schedule = FieldSchedule | { readonly everySeconds: number };

interface FieldRule {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}

const monthNames = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const weekdayNames = 'sun mon tue wed thu fri sat'.split(' ');
const rules: readonly [FieldRule, FieldRule, FieldRule, FieldRule, FieldRule] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: ['', ...monthNames] },
  { min: 0, max: 6, names: weekdayNames },
];

const descriptors: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** Reads a schedule of five fields, or a descriptor. Throws `invalid-document`. */
export function parseSchedule(text: string): Schedule {
  const match = /^(?:CRON_)?TZ=(\S+)\s+([^]*)$/.exec(text);
  const [timezone, body] = match === null ? [undefined, text] : [match[1], match[2] ?? ''];
  const every = /^@every\s+(.+)$/.exec(body);
  if (every !== null) return { everySeconds: intervalOf(every[1] ?? '', text) };
  const spec = Object.hasOwn(descriptors, body) ? (descriptors[body] ?? '') : body;
  if (spec.startsWith('@')) malformed(text, `unrecognized descriptor: ${spec}`);
  const fields = spec.split(/\s+/).filter(field => field !== '');
  if (fields.length !== rules.length) {
    malformed(text, `expected exactly ${rules.length} fields, found ${fields.length}: [${fields.join(' ')}]`);
  }
  const [minutes, hours, days, months, weekdays] = rules.map((rule, index) =>
    readField(fields[index] ?? '', rule, text),
  );
  const none: ReadonlySet<number> = new Set();
  return {
    minutes: minutes ?? none,
    hours: hours ?? none,
    days: days ?? none,
    months: months ?? none,
    weekdays: weekdays ?? none,
    isAnyDay: isAny(fields[2] ?? ''),
    isAnyWeekday: isAny(fields[4] ?? ''),
    timezone,
  };
}

function malformed(schedule: string, cause: string): never {
  throw new WorkflowError('invalid-document', `cron schedule ${schedule} is malformed: ${cause}`);
}

/** A field that stands for every value, also as a part of a list. */
const isAny = (field: string): boolean => field.split(',').some(part => /^[*?](\/1)?$/.test(part));

function readField(field: string, rule: FieldRule, schedule: string): Set<number> {
  return new Set(field.split(',').flatMap(part => readRange(part, rule, schedule)));
}

function readRange(part: string, rule: FieldRule, schedule: string): number[] {
  const [range = '', stepText, ...rest] = part.split('/');
  const [low = '', high, ...more] = range.split('-');
  if (rest.length > 0) malformed(schedule, `too many slashes: ${part}`);
  if (more.length > 0) malformed(schedule, `too many hyphens: ${part}`);
  const isAll = low === '*' || low === '?';
  const from = isAll ? rule.min : numberOf(low, rule, schedule);
  const step = stepText === undefined ? 1 : numberOf(stepText, { ...rule, names: [] }, schedule);
  const single = stepText === undefined ? from : rule.max;
  const to = isAll ? rule.max : high === undefined ? single : numberOf(high, rule, schedule);
  checkRange(part, { from, to, step }, rule, schedule);
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}

function checkRange(
  part: string,
  { from, to, step }: { from: number; to: number; step: number },
  { min, max }: FieldRule,
  schedule: string,
): void {
  if (from < min) malformed(schedule, `beginning of range (${from}) below minimum (${min}): ${part}`);
  if (to > max) malformed(schedule, `end of range (${to}) above maximum (${max}): ${part}`);
  if (from > to) malformed(schedule, `beginning of range (${from}) beyond end of range (${to}): ${part}`);
  if (step === 0) malformed(schedule, `step of range should be a positive number: ${part}`);
}

function numberOf(text: string, { names }: FieldRule, schedule: string): number {
  const named = text === '' ? -1 : names.indexOf(text.toLowerCase());
  if (named >= 0) return named;
  if (!/^\d{1,9}$/.test(text)) {
    malformed(schedule, `failed to parse int from ${text}: strconv.Atoi: parsing "${text}": invalid syntax`);
  }
  return Number(text);
}

const unitSeconds: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1 };

/** Seconds of an interval, at least one. */
function intervalOf(text: string, schedule: string): number {
  if (!/^(?:\d{1,9}(?:\.\d+)?[hms])+$/.test(text)) malformed(schedule, `failed to parse duration @every ${text}`);
  const parts = text.matchAll(/(\d+(?:\.\d+)?)([hms])/g);
  const seconds = parts.reduce((sum, [, count = '0', unit = 's']) => sum + Number(count) * (unitSeconds[unit] ?? 0), 0);
  return Math.max(1, Math.floor(seconds));
}
