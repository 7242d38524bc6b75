interface FieldRange {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names of values, the first one for `min`. Default none. */
  readonly names?: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const ranges: readonly FieldRange[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: months },
  { name: 'day of week', min: 0, max: 6, names: days },
];

const macros = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']);
const everyPattern = /^@every (?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/;

/** What is wrong with a schedule in cron syntax: five fields, or one of the words that start with `@`. */
export function findScheduleProblem(schedule: string): string | undefined {
  const text = schedule.trim();
  if (text === '') return 'empty spec string';
  if (/\bTZ=/.test(text) || text.includes('CRON_TZ'))
    return 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
  if (text.startsWith('@'))
    return macros.has(text) || everyPattern.test(text) ? undefined : `unrecognized descriptor: ${text}`;
  const fields = text.split(/\s+/);
  if (fields.length !== ranges.length)
    return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`;
  for (const [index, range] of ranges.entries()) {
    const problem = findFieldProblem(fields[index] ?? '', range);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function findFieldProblem(field: string, range: FieldRange): string | undefined {
  for (const part of field.split(',')) {
    const problem = findPartProblem(part, range);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** One of `*`, `5`, `1-5`, each with `/step` behind it or not. */
function findPartProblem(part: string, range: FieldRange): string | undefined {
  const [span = '', step, ...furtherSteps] = part.split('/');
  if (furtherSteps.length > 0) return `too many slashes: ${part}`;
  if (step !== undefined && !/^\d{1,9}$/.test(step)) return `failed to parse int from ${step}`;
  if (step !== undefined && Number(step) === 0) return `step of range should be a positive number: ${part}`;
  if (span === '*' || span === '?') return undefined;
  const [first = '', last, ...furtherEnds] = span.split('-');
  if (furtherEnds.length > 0) return `too many hyphens: ${part}`;
  const start = readValue(first, range);
  const end = last === undefined ? start : readValue(last, range);
  if (start === undefined || end === undefined) return `failed to parse int from ${start === undefined ? first : last}`;
  if (start < range.min) return `beginning of range (${start}) below minimum (${range.min}): ${part}`;
  if (end > range.max) return `end of range (${end}) above maximum (${range.max}): ${part}`;
  return start > end ? `beginning of range (${start}) beyond end of range (${end}): ${part}` : undefined;
}

function readValue(text: string, { names = [], min }: FieldRange): number | undefined {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return named + min;
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
