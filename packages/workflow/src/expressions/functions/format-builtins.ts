import { timeOfMs } from '../dates/civil-time.ts';
import { parseDuration } from '../dates/duration.ts';
import { parseTime } from '../dates/parse-time.ts';
import { findTimeZone } from '../dates/time-zone.ts';
import type { Frame } from '../language/frame.ts';
import { Failure, fail } from '../values/failure.ts';
import { goJsonIndented } from '../values/json-text.ts';
import { Duration, type Time, TimeZone, type Value } from '../values/value.ts';
import { argument, type BuiltinTable, defineBuiltins, textArgument } from './arguments.ts';
import { decodeBase64, encodeBase64 } from './encoding.ts';
import { parseGoJson } from './json.ts';

const dateLayouts = [
  '2006-01-02',
  '15:04:05',
  '2006-01-02 15:04:05',
  '2006-01-02T15:04:05Z07:00',
  '02 Jan 06 15:04 MST',
  'Monday, 02-Jan-06 15:04:05 MST',
  'Mon, 02 Jan 2006 15:04:05 MST',
];

function date(args: readonly Value[], frame: Frame): Time {
  const zone = args[0] instanceof TimeZone ? args[0] : undefined;
  const texts = args.slice(zone === undefined ? 0 : 1);
  const text = textArgument(texts, 0, frame);
  if (texts.length === 1) return parseAnyDate(text, zone);
  const layout = textArgument(texts, 1, frame);
  return parseTime(layout, text, texts.length === 3 ? readZone(textArgument(texts, 2, frame)) : zone);
}

function parseAnyDate(text: string, zone: TimeZone | undefined): Time {
  for (const layout of dateLayouts) {
    try {
      return parseTime(layout, text, zone);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
  }
  return fail(`invalid date ${text}`);
}

const readZone = (name: string): TimeZone => findTimeZone(name) ?? fail(`unknown time zone ${name}`);

function now(args: readonly Value[], frame: Frame): Time {
  const zone = argument(args, 0);
  if (args.length > 0 && !(zone instanceof TimeZone))
    return fail(`invalid number of arguments (expected 0, got ${args.length})`);
  return timeOfMs(frame.now(), zone instanceof TimeZone ? zone : undefined);
}

/** The language's functions for JSON, base64, dates and durations. */
export const formatBuiltins: BuiltinTable = defineBuiltins({
  toJSON: [1, 1, (args, { meter }) => goJsonIndented(argument(args, 0), meter)],
  fromJSON: [1, 1, (args, frame) => parseGoJson(textArgument(args, 0, frame), frame.meter)],
  toBase64: [1, 1, (args, frame) => encodeBase64(textArgument(args, 0, frame))],
  fromBase64: [1, 1, (args, frame) => decodeBase64(textArgument(args, 0, frame))],
  now: [0, 1, now],
  date: [1, 4, date],
  timezone: [1, 1, (args, frame) => readZone(textArgument(args, 0, frame))],
  duration: [
    1,
    1,
    (args, frame) => {
      const text = textArgument(args, 0, frame);
      return new Duration(parseDuration(text) ?? fail(`time: invalid duration ${JSON.stringify(text)}`));
    },
  ],
});
