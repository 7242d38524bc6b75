import { fail } from '../values/failure.ts';
import { type Time, TimeZone } from '../values/value.ts';
import { daysInMonth, timeOfCivil } from './civil-time.ts';
import { type LayoutElement, type LayoutPart, monthNames, parseLayout, weekdayNames } from './layout.ts';
import { utc } from './time-zone.ts';

interface Fields {
  year: number;
  month: number;
  day: number;
  yearDay: number | undefined;
  hour: number;
  minute: number;
  second: number;
  nanosecond: number;
  isPm: boolean | undefined;
  offset: number | undefined;
  zoneName: string | undefined;
}

/** Reads a time in a layout of Go. Without a zone in the text it is in `zone`. Throws a Failure as Go words it. */
export function parseTime(layout: string, text: string, zone: TimeZone = utc): Time {
  const fields: Fields = {
    year: 0,
    month: 1,
    day: 1,
    yearDay: undefined,
    hour: 0,
    minute: 0,
    second: 0,
    nanosecond: 0,
    isPm: undefined,
    offset: undefined,
    zoneName: undefined,
  };
  const rest = parseLayout(layout).reduce((left, part) => readPart(part, left, fields, layout, text), text);
  if (rest !== '') fail(`parsing time ${JSON.stringify(text)}: extra text: ${JSON.stringify(rest)}`);
  checkRanges(fields, text);
  return timeOfCivil(clockOf(fields), zoneOf(fields, zone));
}

function readPart(part: LayoutPart, rest: string, fields: Fields, layout: string, text: string): string {
  if (part.type === 'text')
    return rest.startsWith(part.text) ? rest.slice(part.text.length) : mismatch(layout, text, part.text, rest);
  const pattern =
    part.type === 'element' ? patterns[part.element] : part.isTrimmed ? optionalFraction : exactFraction(part.digits);
  const match = pattern.exec(rest);
  const shown =
    part.type === 'element' ? part.element : part.separator + (part.isTrimmed ? '9' : '0').repeat(part.digits);
  if (match === null) return mismatch(layout, text, shown, rest);
  if (part.type === 'fraction') setFraction(fields, match[0]);
  else setField(fields, part.element, match[0]);
  const behind = rest.slice(match[0].length);
  if (part.type === 'element' && (part.element === '05' || part.element === '5'))
    return readLooseFraction(layout, behind, fields);
  return behind;
}

/** Digits behind the second are read although the layout has none. */
function readLooseFraction(layout: string, rest: string, fields: Fields): string {
  const match = /05?[.,][09]/.test(layout) ? null : /^[.,]\d+/.exec(rest);
  if (match === null) return rest;
  setFraction(fields, match[0]);
  return rest.slice(match[0].length);
}

const mismatch = (layout: string, text: string, element: string, rest: string): never =>
  fail(
    `parsing time ${JSON.stringify(text)} as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(element)}`,
  );

const oneOrTwo = /^ ?\d{1,2}/;
const two = /^\d{2}/;
const names = (list: readonly string[], length?: number): RegExp =>
  new RegExp(`^(?:${list.map(name => name.slice(0, length)).join('|')})`, 'i');
const optionalFraction = /^(?:[.,]\d*)?/;
const exactFraction = (digits: number): RegExp => new RegExp(`^[.,]\\d{${digits}}`);

const patterns: Readonly<Record<LayoutElement, RegExp>> = {
  January: names(monthNames),
  Jan: names(monthNames, 3),
  Monday: names(weekdayNames),
  Mon: names(weekdayNames, 3),
  MST: /^(?:[A-Z]{3,5}|[+-]\d{2}(?:\d{2})?)/,
  '2006': /^\d{4}/,
  '06': two,
  __2: /^ {0,2}\d{1,3}/,
  _2: oneOrTwo,
  '002': /^\d{3}/,
  '01': two,
  '02': two,
  '03': two,
  '04': two,
  '05': two,
  '15': two,
  '1': /^\d{1,2}/,
  '2': oneOrTwo,
  '3': /^\d{1,2}/,
  '4': /^\d{1,2}/,
  '5': /^\d{1,2}/,
  PM: /^[AP]M/,
  pm: /^[ap]m/,
  'Z07:00:00': /^(?:Z|[+-]\d{2}:\d{2}:\d{2})/,
  'Z07:00': /^(?:Z|[+-]\d{2}:\d{2})/,
  Z070000: /^(?:Z|[+-]\d{6})/,
  Z0700: /^(?:Z|[+-]\d{4})/,
  Z07: /^(?:Z|[+-]\d{2})/,
  '-07:00:00': /^[+-]\d{2}:\d{2}:\d{2}/,
  '-07:00': /^[+-]\d{2}:\d{2}/,
  '-070000': /^[+-]\d{6}/,
  '-0700': /^[+-]\d{4}/,
  '-07': /^[+-]\d{2}/,
};

const monthOf = (text: string): number =>
  monthNames.findIndex(name => name.slice(0, 3).toLowerCase() === text.slice(0, 3).toLowerCase()) + 1;

function setField(fields: Fields, element: LayoutElement, text: string): void {
  const value = Number(text);
  if (element === 'January' || element === 'Jan') fields.month = monthOf(text);
  else if (element === '2006') fields.year = value;
  else if (element === '06') fields.year = value >= 69 ? 1900 + value : 2000 + value;
  else if (element === '01' || element === '1') fields.month = value;
  else if (element === '02' || element === '2' || element === '_2') fields.day = value;
  else if (element === '002' || element === '__2') fields.yearDay = value;
  else if (element === '15' || element === '03' || element === '3') fields.hour = value;
  else if (element === '04' || element === '4') fields.minute = value;
  else if (element === '05' || element === '5') fields.second = value;
  else if (element === 'PM' || element === 'pm') fields.isPm = text.toLowerCase() === 'pm';
  else if (element === 'MST') fields.zoneName = text;
  else if (/^[Z-]07/.test(element)) fields.offset = offsetOf(text);
}

function offsetOf(text: string): number {
  const [, hours = '0', minutes = '0', seconds = '0'] = /^[+-](\d{2}):?(\d{2})?:?(\d{2})?/.exec(text) ?? [];
  const amount = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return text.startsWith('-') ? -amount : amount;
}

function setFraction(fields: Fields, text: string): void {
  fields.nanosecond = Number(text.slice(1, 10).padEnd(9, '0'));
}

function checkRanges(fields: Fields, text: string): void {
  const isOut =
    fields.month < 1 || fields.month > 12
      ? 'month'
      : fields.day < 1 || fields.day > daysInMonth(fields.year, fields.month)
        ? 'day'
        : fields.hour > 23
          ? 'hour'
          : fields.minute > 59
            ? 'minute'
            : fields.second > 59
              ? 'second'
              : undefined;
  if (isOut !== undefined) fail(`parsing time ${JSON.stringify(text)}: ${isOut} out of range`);
}

function clockOf(fields: Fields): Fields {
  const hour = fields.isPm === undefined ? fields.hour : (fields.hour % 12) + (fields.isPm ? 12 : 0);
  return fields.yearDay === undefined ? { ...fields, hour } : { ...fields, hour, month: 1, day: fields.yearDay };
}

function zoneOf({ offset, zoneName }: Fields, zone: TimeZone): TimeZone {
  if (offset === 0 && (zoneName === undefined || zoneName === 'UTC')) return utc;
  if (offset !== undefined) return new TimeZone(zoneName ?? '', offset);
  if (zoneName === undefined) return zone;
  return zoneName === 'UTC' ? utc : new TimeZone(zoneName, 0);
}
