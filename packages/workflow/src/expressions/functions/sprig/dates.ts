import { timeOfMs, unixSeconds } from '../../dates/civil-time.ts';
import { formatDuration, parseDuration } from '../../dates/duration.ts';
import { formatTime } from '../../dates/format-time.ts';
import { parseTime } from '../../dates/parse-time.ts';
import { findTimeZone, utc } from '../../dates/time-zone.ts';
import { toInt64 } from '../../values/arithmetic.ts';
import { Failure, fail } from '../../values/failure.ts';
import { type CallContext, Time, type Value } from '../../values/value.ts';
import { type SprigTable, sprig } from './signature.ts';

const nanosPerSecond = 1_000_000_000n;

/** A time, or unix seconds; anything else is now. */
function instantOf(value: Value, context: CallContext): Time {
  if (value instanceof Time) return value;
  if (typeof value === 'bigint') return new Time(value * nanosPerSecond, utc);
  return timeOfMs(context.now());
}

function format(layout: string, date: Value, zone: string, context: CallContext): string {
  return formatTime(new Time(instantOf(date, context).nanoseconds, findTimeZone(zone) ?? utc), layout);
}

const dateInZone = sprig('string any string', (args, context) =>
  format(args.text(0), args.any(1), args.text(2), context),
);

const dateModify = sprig('string time', args => {
  const nanoseconds = parseDuration(args.text(0)) ?? 0n;
  return new Time(args.time(1).nanoseconds + nanoseconds, args.time(1).zone);
});

const mustDateModify = sprig('string time', args => {
  const nanoseconds = parseDuration(args.text(0)) ?? fail(`time: invalid duration ${JSON.stringify(args.text(0))}`);
  return new Time(args.time(1).nanoseconds + nanoseconds, args.time(1).zone);
});

/** The first moment of year 1: Go's zero time. */
const zeroTime = new Time(-62_135_596_800n * nanosPerSecond, utc);

function toDate(layout: string, text: string): Time {
  try {
    return parseTime(layout, text);
  } catch (error) {
    if (error instanceof Failure) return zeroTime;
    throw error;
  }
}

function secondsText(value: Value): string {
  const seconds = typeof value === 'string' && /^[+-]?\d{1,18}$/.test(value) ? BigInt(value.replace('+', '')) : value;
  return formatDuration(typeof seconds === 'bigint' ? toInt64(seconds * nanosPerSecond) : 0n);
}

const units: readonly (readonly [bigint, string])[] = [
  [31_536_000n, 'y'],
  [2_592_000n, 'mo'],
  [86_400n, 'd'],
  [3600n, 'h'],
  [60n, 'm'],
  [1n, 's'],
];

/** A duration in its largest unit. */
function roundDuration(value: Value, context: CallContext): string {
  const nanoseconds = nanosecondsOf(value, context);
  const amount = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const unit = units.find(([seconds]) => amount > seconds * nanosPerSecond);
  return unit === undefined ? '0s' : `${amount / (unit[0] * nanosPerSecond)}${unit[1]}`;
}

function nanosecondsOf(value: Value, context: CallContext): bigint {
  if (typeof value === 'string') return parseDuration(value) ?? 0n;
  if (typeof value === 'bigint') return value;
  return value instanceof Time ? timeOfMs(context.now()).nanoseconds - value.nanoseconds : 0n;
}

function ago(value: Value, context: CallContext): string {
  const elapsed = timeOfMs(context.now()).nanoseconds - instantOf(value, context).nanoseconds;
  const half = elapsed < 0n ? -nanosPerSecond / 2n : nanosPerSecond / 2n;
  return formatDuration(((elapsed + half) / nanosPerSecond) * nanosPerSecond);
}

/** sprig's functions for dates. The local time zone is UTC. */
export const dateFunctions: SprigTable = {
  now: sprig('', (_, context) => timeOfMs(context.now())),
  date: sprig('string any', (args, context) => format(args.text(0), args.any(1), 'Local', context)),
  dateInZone,
  date_in_zone: dateInZone,
  htmlDate: sprig('any', (args, context) => format('2006-01-02', args.any(0), 'Local', context)),
  htmlDateInZone: sprig('any string', (args, context) => format('2006-01-02', args.any(0), args.text(1), context)),
  dateModify,
  date_modify: dateModify,
  mustDateModify,
  must_date_modify: mustDateModify,
  toDate: sprig('string string', args => toDate(args.text(0), args.text(1))),
  mustToDate: sprig('string string', args => parseTime(args.text(0), args.text(1))),
  unixEpoch: sprig('time', args => String(unixSeconds(args.time(0)))),
  duration: sprig('any', args => secondsText(args.any(0))),
  durationRound: sprig('any', (args, context) => roundDuration(args.any(0), context)),
  ago: sprig('any', (args, context) => ago(args.any(0), context)),
};
