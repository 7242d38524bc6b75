import { fail } from '../values/failure.ts';
import { Time, type TimeZone } from '../values/value.ts';
import { offsetAt, utc } from './time-zone.ts';

/** The parts of an instant as a clock in its zone shows them. */
export interface CivilTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanosecond: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  readonly yearDay: number;
  /** Seconds east of UTC. */
  readonly offset: number;
}

const nanosPerSecond = 1_000_000_000n;
const maxSeconds = 8_640_000_000_000n;

export const epochMsOf = (time: Time): number => Number(floorDiv(time.nanoseconds, 1_000_000n));

export const unixSeconds = (time: Time): bigint => floorDiv(time.nanoseconds, nanosPerSecond);

function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}

export const timeOfMs = (epochMs: number, zone: TimeZone = utc): Time =>
  new Time(BigInt(Math.trunc(epochMs)) * 1_000_000n, zone);

/** Throws for instants further than 270,000 years away. */
export function civilTimeOf(time: Time): CivilTime {
  const seconds = unixSeconds(time);
  if (seconds > maxSeconds - 86_400n || seconds < 86_400n - maxSeconds) return fail('time is out of range');
  const offset = offsetAt(time.zone, Number(seconds) * 1000);
  const date = new Date((Number(seconds) + offset) * 1000);
  const year = date.getUTCFullYear();
  return {
    year,
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    nanosecond: Number(time.nanoseconds - seconds * nanosPerSecond),
    weekday: date.getUTCDay(),
    yearDay: Math.floor((date.getTime() - utcMs(year, 1, 1)) / 86_400_000) + 1,
    offset,
  };
}

/** Milliseconds of a date in UTC. `Date.UTC` takes years below 100 for those of 1900. */
export function utcMs(year: number, month: number, day: number, hour = 0, minute = 0, second = 0): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  return date.getTime();
}

export type ClockTime = Pick<CivilTime, 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'nanosecond'>;

/** The instant at which clocks of a zone show the given time. */
export function timeOfCivil(clock: ClockTime, zone: TimeZone): Time {
  const local = utcMs(clock.year, clock.month, clock.day, clock.hour, clock.minute, clock.second);
  if (Number.isNaN(local)) return fail('time is out of range');
  const guess = local - offsetAt(zone, local) * 1000;
  const epochMs = local - offsetAt(zone, guess) * 1000;
  return new Time(BigInt(epochMs) * 1_000_000n + BigInt(clock.nanosecond), zone);
}

/** Days of a month, which may be outside 1 to 12. */
export const daysInMonth = (year: number, month: number): number => new Date(utcMs(year, month + 1, 0)).getUTCDate();
