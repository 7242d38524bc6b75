import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type CronSpec,
  type CronState,
  cronProblem,
  decideCron,
  missedTime,
  nextScheduledTime,
} from './cron-workflow.ts';
import { cronTimes } from './test-cron-rows.ts';

describe('times are those of the genuine library', () => {
  for (const [schedule, timezone, after, ...expected] of cronTimes) {
    test(`${schedule} in ${timezone || 'UTC'} after ${after}`, () => {
      const spec: CronSpec = { schedules: [schedule], timezone };
      let time: number | undefined = Date.parse(after);
      for (const next of expected) {
        time = time === undefined ? undefined : nextScheduledTime(spec, time);
        assert.equal(
          time === undefined ? 'never' : new Date(time).toISOString(),
          next === 'never' ? next : new Date(next).toISOString(),
        );
      }
    });
  }
});

test('of several schedules the earliest counts', () => {
  const spec: CronSpec = { schedules: ['0 12 * * *', '30 6 * * *'] };
  assert.equal(nextScheduledTime(spec, Date.parse('2024-05-01T00:00:00Z')), Date.parse('2024-05-01T06:30:00Z'));
});

const problems: readonly (readonly [CronSpec, string | undefined])[] = [
  [{ schedules: ['* * * * *'] }, undefined],
  [{ schedules: ['@hourly'], timezone: 'Europe/Berlin', concurrencyPolicy: 'Forbid' }, undefined],
  [{ schedules: [] }, 'cron workflow must have at least one schedule'],
  [{ schedules: ['* * * *'] }, 'cron schedule * * * * is malformed: expected exactly 5 fields, found 4: [* * * *]'],
  [{ schedules: ['60 * * * *'] }, 'cron schedule 60 * * * * is malformed: end of range (60) above maximum (59): 60'],
  [{ schedules: ['* * * * *'], timezone: 'Nowhere/X' }, 'invalid timezone "Nowhere/X": unknown time zone Nowhere/X'],
  [{ schedules: ['* * * * *'], concurrencyPolicy: 'Maybe' }, "'Maybe' is not a valid concurrencyPolicy"],
  [{ schedules: ['* * * * *'], startingDeadlineSeconds: -1 }, 'startingDeadlineSeconds must be positive'],
];
for (const [spec, problem] of problems) {
  test(`problem of ${JSON.stringify(spec)}`, () => assert.equal(cronProblem('c', spec), problem));
}

const now = Date.parse('2024-05-01T10:00:30Z');
const state: CronState = {
  name: 'c',
  namespace: 'n',
  succeeded: 2,
  failed: 1,
  activeCount: 0,
  lastScheduledTime: now - 86_400_000,
};
const minutely: CronSpec = { schedules: ['* * * * *'] };

test('a missed time runs late only within its deadline', () => {
  const hourly: CronSpec = { schedules: ['0 * * * *'] };
  assert.equal(missedTime(hourly, state, now), undefined);
  assert.equal(missedTime({ ...hourly, startingDeadlineSeconds: 60 }, state, now), Date.parse('2024-05-01T10:00:00Z'));
  assert.equal(missedTime({ ...hourly, startingDeadlineSeconds: 10 }, state, now), undefined);
  const { lastScheduledTime: _, ...fresh } = state;
  assert.equal(missedTime({ ...hourly, startingDeadlineSeconds: 60 }, fresh, now), undefined);
});

const decisions: readonly (readonly [why: string, CronSpec, Partial<CronState>, string])[] = [
  ['nothing is against it', minutely, {}, 'run c-1714557630'],
  ['suspended', { ...minutely, suspend: true }, {}, 'skip'],
  ['stopped before', minutely, { isStopped: true }, 'skip'],
  ['stop strategy holds', { ...minutely, stopStrategy: { expression: 'cronworkflow.succeeded >= 2' } }, {}, 'skip'],
  [
    'stop strategy does not hold',
    { ...minutely, stopStrategy: { expression: 'cronworkflow.failed >= 2' } },
    {},
    'run c-1714557630',
  ],
  ['forbidden while active', { ...minutely, concurrencyPolicy: 'Forbid' }, { activeCount: 1 }, 'skip'],
  [
    'replaces what is active',
    { ...minutely, concurrencyPolicy: 'Replace' },
    { activeCount: 1 },
    'run c-1714557630 replacing',
  ],
  [
    'condition holds',
    { ...minutely, when: '{{= (now() - cronworkflow.lastScheduledTime).Hours() > 1 }}' },
    {},
    'run c-1714557630',
  ],
  ['condition does not hold', { ...minutely, when: '{{= cronworkflow.lastScheduledTime == nil }}' }, {}, 'skip'],
];
for (const [why, spec, over, expected] of decisions) {
  test(`decision: ${why}`, () => {
    const decision = decideCron(spec, { ...state, ...over }, now, now);
    const shown =
      decision.type === 'skip' ? 'skip' : `run ${decision.workflowName}${decision.replacesActive ? ' replacing' : ''}`;
    assert.equal(shown, expected);
  });
}
