import { fail } from '../values/failure.ts';
import { Callable, type CallContext, Duration, Time, TimeZone, typeName, type Value } from '../values/value.ts';
import { type CivilTime, civilTimeOf, timeOfCivil, unixSeconds } from './civil-time.ts';
import { formatDuration } from './duration.ts';
import { formatGoTime, formatTime } from './format-time.ts';
import { utc } from './time-zone.ts';

type Method<T> = (self: T, args: readonly Value[], context: CallContext) => Value;

/** A method of a time or duration as a value; undefined when there is none of that name. */
export function methodOf(self: Value, name: string): Value | undefined {
  if (self instanceof Time) return bind(self, name, timeMethods);
  if (self instanceof Duration) return bind(self, name, durationMethods);
  return undefined;
}

function bind<T>(self: T, name: string, methods: Readonly<Record<string, Method<T>>>): Callable | undefined {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  return method === undefined ? undefined : new Callable((args, context) => method(self, args, context));
}

const civil =
  (read: (time: CivilTime) => number): Method<Time> =>
  self =>
    BigInt(read(civilTimeOf(self)));

const timeOf = (value: Value | undefined): Time =>
  value instanceof Time ? value : fail(`reflect: Call using ${typeName(value ?? null)} as type time.Time`);

const nanosecondsOf = (value: Value | undefined): bigint => {
  if (value instanceof Duration) return value.nanoseconds;
  return fail(`reflect: Call using ${typeName(value ?? null)} as type time.Duration`);
};

const intOf = (value: Value | undefined): number =>
  typeof value === 'bigint' ? Number(value) : fail(`reflect: Call using ${typeName(value ?? null)} as type int`);

const textOf = (value: Value | undefined): string =>
  typeof value === 'string' ? value : fail(`reflect: Call using ${typeName(value ?? null)} as type string`);

const floorTo = (self: bigint, step: bigint): bigint => (step <= 0n ? self : self - (self % step));

const timeMethods: Readonly<Record<string, Method<Time>>> = {
  Year: civil(time => time.year),
  Month: civil(time => time.month),
  Day: civil(time => time.day),
  Hour: civil(time => time.hour),
  Minute: civil(time => time.minute),
  Second: civil(time => time.second),
  Nanosecond: civil(time => time.nanosecond),
  Weekday: civil(time => time.weekday),
  YearDay: civil(time => time.yearDay),
  Unix: self => unixSeconds(self),
  UnixMilli: self => self.nanoseconds / 1_000_000n,
  UnixMicro: self => self.nanoseconds / 1000n,
  UnixNano: self => self.nanoseconds,
  UTC: self => new Time(self.nanoseconds, utc),
  Local: self => new Time(self.nanoseconds, utc),
  In: (self, [zone]) =>
    zone instanceof TimeZone
      ? new Time(self.nanoseconds, zone)
      : fail(`reflect: Call using ${typeName(zone ?? null)} as type *time.Location`),
  Location: self => self.zone,
  Format: (self, [layout], { meter }) => {
    meter.chargeText(textOf(layout).length);
    return formatTime(self, textOf(layout));
  },
  String: self => formatGoTime(self),
  Add: (self, [duration]) => new Time(self.nanoseconds + nanosecondsOf(duration), self.zone),
  AddDate: (self, [years, months, days]) => addDate(self, intOf(years), intOf(months), intOf(days)),
  Sub: (self, [other]) => new Duration(self.nanoseconds - timeOf(other).nanoseconds),
  Before: (self, [other]) => self.nanoseconds < timeOf(other).nanoseconds,
  After: (self, [other]) => self.nanoseconds > timeOf(other).nanoseconds,
  Equal: (self, [other]) => self.nanoseconds === timeOf(other).nanoseconds,
  Compare: (self, [other]) => BigInt(Math.sign(Number(self.nanoseconds - timeOf(other).nanoseconds))),
  Truncate: (self, [step]) => new Time(floorTo(self.nanoseconds, nanosecondsOf(step)), self.zone),
  IsZero: self => unixSeconds(self) === -62_135_596_800n,
};

function addDate(time: Time, years: number, months: number, days: number): Time {
  const clock = civilTimeOf(time);
  return timeOfCivil(
    { ...clock, year: clock.year + years, month: clock.month + months, day: clock.day + days },
    time.zone,
  );
}

const inUnits =
  (nanoseconds: number): Method<Duration> =>
  self =>
    Number(self.nanoseconds) / nanoseconds;

const durationMethods: Readonly<Record<string, Method<Duration>>> = {
  Hours: inUnits(3.6e12),
  Minutes: inUnits(6e10),
  Seconds: inUnits(1e9),
  Milliseconds: self => self.nanoseconds / 1_000_000n,
  Microseconds: self => self.nanoseconds / 1000n,
  Nanoseconds: self => self.nanoseconds,
  String: self => formatDuration(self.nanoseconds),
  Abs: self => new Duration(self.nanoseconds < 0n ? -self.nanoseconds : self.nanoseconds),
  Truncate: (self, [step]) => new Duration(floorTo(self.nanoseconds, nanosecondsOf(step))),
  Round: (self, [step]) => new Duration(roundTo(self.nanoseconds, nanosecondsOf(step))),
};

function roundTo(amount: bigint, step: bigint): bigint {
  if (step <= 0n) return amount;
  const half = amount < 0n ? -(step / 2n) : step / 2n;
  return floorTo(amount + half, step);
}
