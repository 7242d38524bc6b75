import type { Time } from '../values/value.ts';
import { type CivilTime, civilTimeOf, epochMsOf } from './civil-time.ts';
import { type LayoutElement, type LayoutPart, monthNames, parseLayout, weekdayNames } from './layout.ts';
import { abbreviationAt, offsetText } from './time-zone.ts';

/** An instant in a layout of Go. */
export function formatTime(time: Time, layout: string): string {
  const civil = civilTimeOf(time);
  return parseLayout(layout)
    .map(part => formatPart(part, civil, time))
    .join('');
}

/** As encoding/json writes it. */
export const formatRfc3339 = (time: Time): string => formatTime(time, '2006-01-02T15:04:05.999999999Z07:00');

/** As `%v` prints it. */
export const formatGoTime = (time: Time): string => formatTime(time, '2006-01-02 15:04:05.999999999 -0700 MST');

function formatPart(part: LayoutPart, civil: CivilTime, time: Time): string {
  if (part.type === 'text') return part.text;
  if (part.type === 'element') return formatElement(part.element, civil, time);
  const digits = String(civil.nanosecond).padStart(9, '0').slice(0, part.digits).padEnd(part.digits, '0');
  const shown = part.isTrimmed ? digits.replace(/0+$/, '') : digits;
  return shown === '' ? '' : part.separator + shown;
}

const pad = (value: number, width: number, fill = '0'): string => String(value).padStart(width, fill);
const hour12 = (civil: CivilTime): number => civil.hour % 12 || 12;
const yearText = ({ year }: CivilTime): string => (year < 0 ? `-${pad(-year, 4)}` : pad(year, 4));

const formatters: Readonly<Record<string, (civil: CivilTime) => string>> = {
  January: civil => monthNames[civil.month - 1] ?? '',
  Jan: civil => (monthNames[civil.month - 1] ?? '').slice(0, 3),
  Monday: civil => weekdayNames[civil.weekday] ?? '',
  Mon: civil => (weekdayNames[civil.weekday] ?? '').slice(0, 3),
  '2006': yearText,
  '06': civil => pad(((civil.year % 100) + 100) % 100, 2),
  __2: civil => pad(civil.yearDay, 3, ' '),
  _2: civil => pad(civil.day, 2, ' '),
  '002': civil => pad(civil.yearDay, 3),
  '01': civil => pad(civil.month, 2),
  '02': civil => pad(civil.day, 2),
  '03': civil => pad(hour12(civil), 2),
  '04': civil => pad(civil.minute, 2),
  '05': civil => pad(civil.second, 2),
  '15': civil => pad(civil.hour, 2),
  '1': civil => String(civil.month),
  '2': civil => String(civil.day),
  '3': civil => String(hour12(civil)),
  '4': civil => String(civil.minute),
  '5': civil => String(civil.second),
  PM: civil => (civil.hour < 12 ? 'AM' : 'PM'),
  pm: civil => (civil.hour < 12 ? 'am' : 'pm'),
};

function formatElement(element: LayoutElement, civil: CivilTime, time: Time): string {
  if (element === 'MST') return abbreviationAt(time.zone, epochMsOf(time));
  const formatter = formatters[element];
  return formatter === undefined ? formatOffset(element, civil.offset) : formatter(civil);
}

function formatOffset(element: LayoutElement, offset: number): string {
  if (element.startsWith('Z') && offset === 0) return 'Z';
  const separator = element.includes(':') ? ':' : '';
  const seconds = `${separator}${pad(Math.abs(offset) % 60, 2)}`;
  const text = offsetText(offset, separator);
  if (element.endsWith('07')) return text.slice(0, 3);
  return element.length >= 7 && /00(:?)00$/.test(element) ? text + seconds : text;
}
