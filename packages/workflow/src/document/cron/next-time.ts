import { type CivilTime, civilTimeOf, timeOfCivil, timeOfMs } from '../../expressions/dates/civil-time.ts';
import { findTimeZone, utc } from '../../expressions/dates/time-zone.ts';
import type { TimeZone } from '../../expressions/values/value.ts';
import type { FieldSchedule, Schedule } from './schedule.ts';

const minuteMs = 60_000;
const hourMs = 3_600_000;
const maxYears = 5;

/**
 * The first time of a schedule after an instant, in milliseconds; undefined when there is none within five years. Hours
 * that clocks skip are skipped, hours that they repeat count twice.
 */
export function nextTime(schedule: Schedule, afterMs: number, timezone = ''): number | undefined {
  if ('everySeconds' in schedule) return (Math.floor(afterMs / 1000) + schedule.everySeconds) * 1000;
  const zone = findTimeZone(schedule.timezone ?? timezone) ?? utc;
  let time = Math.floor(afterMs / minuteMs) * minuteMs + minuteMs;
  const limit = civilAt(time, zone).year + maxYears;
  for (;;) {
    const civil = civilAt(time, zone);
    if (civil.year > limit) return undefined;
    if (isDue(schedule, civil)) return time;
    time = advance(schedule, civil, time, zone);
  }
}

const civilAt = (epochMs: number, zone: TimeZone): CivilTime => civilTimeOf(timeOfMs(epochMs, zone));

const isDue = (schedule: FieldSchedule, civil: CivilTime): boolean =>
  schedule.months.has(civil.month) &&
  matchesDay(schedule, civil) &&
  schedule.hours.has(civil.hour) &&
  schedule.minutes.has(civil.minute);

function matchesDay({ days, weekdays, isAnyDay, isAnyWeekday }: FieldSchedule, { day, weekday }: CivilTime): boolean {
  const [isDay, isWeekday] = [days.has(day), weekdays.has(weekday)];
  return isAnyDay || isAnyWeekday ? isDay && isWeekday : isDay || isWeekday;
}

/** The start of the next month, day, hour or minute: whatever does not match. */
function advance(schedule: FieldSchedule, civil: CivilTime, time: number, zone: TimeZone): number {
  if (!schedule.months.has(civil.month)) return startOfDay(civil, civil.month + 1, 1, time, zone);
  if (!matchesDay(schedule, civil)) return startOfDay(civil, civil.month, civil.day + 1, time, zone);
  if (schedule.hours.has(civil.hour)) return time + minuteMs;
  return time - civil.minute * minuteMs + hourMs;
}

function startOfDay({ year }: CivilTime, month: number, day: number, time: number, zone: TimeZone): number {
  const midnight = { year, month, day, hour: 0, minute: 0, second: 0, nanosecond: 0 };
  const start = Number(timeOfCivil(midnight, zone).nanoseconds / 1_000_000n);
  return Math.max(start, time + minuteMs);
}
