import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findScheduleProblem } from './cron-schedule.ts';

const good = [
  '* * * * *',
  '0 0 1 1 0',
  '*/15 0-6/2 1,15 jan-MAR mon-fri',
  '5/10 ? ? * SUN',
  '  0   12 * * *  ',
  '@hourly',
  '@midnight',
  '@every 1h30m',
];

const bad: readonly (readonly [string, string])[] = [
  ['', 'empty spec string'],
  ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
  ['* * * * * *', 'expected exactly 5 fields, found 6: [* * * * * *]'],
  ['60 * * * *', 'end of range (60) above maximum (59): 60'],
  ['* 24 * * *', 'end of range (24) above maximum (23): 24'],
  ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
  ['* * * 13 *', 'end of range (13) above maximum (12): 13'],
  ['* * * * 7', 'end of range (7) above maximum (6): 7'],
  ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
  ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ['*/2/3 * * * *', 'too many slashes: */2/3'],
  ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
  ['a * * * *', 'failed to parse int from a'],
  ['1,, * * * *', 'failed to parse int from '],
  ['@sometimes', 'unrecognized descriptor: @sometimes'],
  ['TZ=UTC * * * * *', 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'],
];

describe('a cron schedule', () => {
  for (const schedule of good)
    test(`"${schedule}" is one`, () => assert.equal(findScheduleProblem(schedule), undefined));
  for (const [schedule, problem] of bad) {
    test(`"${schedule}" is none`, () => assert.equal(findScheduleProblem(schedule), problem));
  }
});
