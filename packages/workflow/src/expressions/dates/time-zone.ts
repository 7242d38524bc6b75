import { TimeZone } from '../values/value.ts';

export const utc = new TimeZone('UTC', 0);

/** A zone of the IANA database; undefined when there is none of that name. */
export function findTimeZone(name: string): TimeZone | undefined {
  if (name === '' || name === 'UTC') return utc;
  if (name === 'Local') return utc;
  if (!/^[A-Za-z][\w+\-/]*$/.test(name)) return undefined;
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return new TimeZone(name);
  } catch {
    return undefined;
  }
}

/** The offset from UTC in seconds that a zone has at an instant. */
export function offsetAt(zone: TimeZone, epochMs: number): number {
  if (zone.fixedOffset !== undefined) return zone.fixedOffset;
  const text = partOf(epochMs, zone.name, 'en-US', 'longOffset');
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = /GMT([+-])(\d+):(\d+)(?::(\d+))?/.exec(text) ?? [];
  const amount = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === '-' ? -amount : amount;
}

/** The abbreviation of a zone at an instant, such as `CEST`; the offset (`+02`) for zones without one. */
export function abbreviationAt(zone: TimeZone, epochMs: number): string {
  if (zone.fixedOffset !== undefined) return zone.name;
  for (const locale of ['en-US', 'en-GB', 'en-AU', 'en-IN', 'en-ZA', 'en-NZ']) {
    const text = partOf(epochMs, zone.name, locale, 'short');
    if (/^[A-Z]{3,5}$/.test(text)) return text;
  }
  return offsetText(offsetAt(zone, epochMs), '').slice(0, 3);
}

/** `+0200`, or `+02:00` with a colon between. */
export function offsetText(seconds: number, separator: string): string {
  const minutes = Math.trunc(Math.abs(seconds) / 60);
  const pad = (part: number): string => String(part).padStart(2, '0');
  return `${seconds < 0 ? '-' : '+'}${pad(Math.trunc(minutes / 60))}${separator}${pad(minutes % 60)}`;
}

function partOf(epochMs: number, timeZone: string, locale: string, style: 'short' | 'longOffset'): string {
  const format = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: style });
  return format.formatToParts(epochMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
}
