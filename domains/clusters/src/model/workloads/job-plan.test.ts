import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { failureDelayMs } from './job-back-off.ts';
import { formatIndexes, indexAnnotation, parseIndexes } from './job-indexes.ts';
import { type JobPlan, planJob } from './job-plan.ts';
import { jobTemplate } from './job-pod.ts';
import type { Job, PodObject } from './objects.ts';
import { type PodSketch, sketchPod } from './test-pods.ts';

const backOff = { initialMs: 10_000, maxMs: 60_000 };
const now = new Date(1_000_000);

const job = (spec: Job['spec'], status: Job['status'] = {}): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'j' },
  spec: { completions: 1, parallelism: 1, ...spec },
  status,
});

const plan = (spec: Job['spec'], sketches: readonly PodSketch[], status?: Job['status']): JobPlan =>
  planJob(
    job(spec, status),
    sketches.map((sketch, index) => sketchPod(`p${index}`, sketch)),
    now,
    backOff,
  );

const say = ({ create, remove, conditions }: JobPlan): string =>
  `+${create.length} -${remove.length} ${conditions.map(({ type, reason }) => `${type}:${reason}`).join(' ')}`.trim();

const done: PodSketch = { phase: 'Succeeded', endedAt: 900 };
const failed: PodSketch = { phase: 'Failed', endedAt: 900 };
const running: PodSketch = {};
const complete = 'SuccessCriteriaMet:CompletionsReached Complete:CompletionsReached';

describe('what a job does next', () => {
  for (const [why, spec, pods, expected] of [
    ['begins', {}, [], '+1 -0'],
    ['waits for what runs', {}, [running], '+0 -0'],
    ['ends when it has its success', {}, [done], `+0 -0 ${complete}`],
    ['continues until all have succeeded', { completions: 3, parallelism: 2 }, [done, running], '+1 -0'],
    ['makes no more than are missing', { completions: 3, parallelism: 3 }, [done, done], '+1 -0'],
    ['replaces what failed', { backoffLimit: 1 }, [failed], '+1 -0'],
    [
      'gives up after too many failures',
      { backoffLimit: 1 },
      [failed, failed],
      '+0 -0 FailureTarget:BackoffLimitExceeded Failed:BackoffLimitExceeded',
    ],
    [
      'first ends what runs when it gives up',
      { backoffLimit: 0, parallelism: 2, completions: 2 },
      [failed, running],
      '+0 -1 FailureTarget:BackoffLimitExceeded',
    ],
    ['has too many when parallelism falls', { completions: 5, parallelism: 1 }, [running, running], '+0 -1'],
    ['ends what runs when it is suspended', { suspend: true }, [running], '+0 -1 Suspended:JobSuspended'],
    [
      'of a queue makes no more once one has succeeded',
      { completions: undefined, parallelism: 3 },
      [done, running],
      '+0 -0',
    ],
    [
      'of a queue ends with the last of them',
      { completions: undefined, parallelism: 3 },
      [done, done],
      `+0 -0 ${complete}`,
    ],
    ['replaces and does not count a pod that is going', { backoffLimit: 0 }, [{ ...failed, isDeleted: true }], '+1 -0'],
    ['with nothing to complete is complete', { completions: 0 }, [], `+0 -0 ${complete}`],
  ] as const) {
    test(why, () => assert.equal(say(plan(spec as Job['spec'], pods)), expected));
  }

  test('fails when it is late', () => {
    const late = plan({ activeDeadlineSeconds: 10 }, [running], { startTime: new Date(900_000).toISOString() });
    assert.equal(say(late), '+0 -1 FailureTarget:DeadlineExceeded');
    const inTime = plan({ activeDeadlineSeconds: 200 }, [running], { startTime: new Date(900_000).toISOString() });
    assert.equal(inTime.requeueAtMs, 1_100_000);
  });

  test('counts restarts where containers are restarted in place', () => {
    const template = { spec: { restartPolicy: 'OnFailure', containers: [] } };
    assert.equal(say(plan({ backoffLimit: 3, template }, [{ restarts: 2 }])), '+0 -0');
    assert.match(say(plan({ backoffLimit: 3, template }, [{ restarts: 3 }])), /BackoffLimitExceeded/);
    assert.equal(say(plan({ backoffLimit: 3 }, [{ restarts: 3 }])), '+0 -0', 'only there');
  });

  test('waits longer after each failure, and says until when', () => {
    const recent: PodSketch = { phase: 'Failed', endedAt: 995 };
    const waiting = plan({}, [recent, { ...recent, endedAt: 970 }]);
    assert.deepEqual([say(waiting), waiting.requeueAtMs], ['+0 -0', 1_015_000]);
    const pods = (sketches: readonly PodSketch[]): PodObject[] =>
      sketches.map((sketch, i) => sketchPod(`p${i}`, sketch));
    assert.equal(failureDelayMs(pods([recent, { phase: 'Succeeded', endedAt: 996 }]), backOff), 0);
    assert.equal(failureDelayMs(pods(Array.from({ length: 9 }, () => recent)), backOff), 995_000 + 60_000);
  });

  test('never counts less than it did', () => {
    const { status } = plan({ completions: 3 }, [done], { succeeded: 2, failed: 1 });
    assert.deepEqual([status.succeeded, status.failed], [2, 1]);
  });

  test('always ends: complete, or failed with no more failures than allowed', () => {
    const outcomes = fc.infiniteStream(fc.boolean());
    const numbers = fc.record({
      completions: fc.nat(6),
      parallelism: fc.integer({ min: 1, max: 4 }),
      backoffLimit: fc.nat(4),
    });
    fc.assert(
      fc.property(numbers, outcomes, (spec, outcome) => {
        const pods: PodObject[] = [];
        let current = job(spec);
        for (let round = 0; round < 100; round++) {
          const next = planJob(current, pods, new Date(2_000_000 + round * 1_000_000), backOff);
          const active = pods.filter(({ status }) => status?.phase === 'Running').length;
          assert.ok(active + next.create.length - next.remove.length <= spec.parallelism);
          for (const _ of next.create) pods.push(sketchPod(`p${pods.length}`));
          for (const removed of next.remove) pods.splice(pods.indexOf(removed), 1);
          const conditions = next.conditions.map(({ type, reason, status }) => ({
            type,
            status,
            ...(reason && { reason }),
          }));
          current = { ...current, status: { ...next.status, conditions } };
          if (conditions.some(({ type }) => type === 'Complete' || type === 'Failed')) break;
          const index = pods.findIndex(({ status }) => status?.phase === 'Running');
          const phase = outcome.next().value ? 'Succeeded' : 'Failed';
          if (index >= 0) pods[index] = sketchPod(`p${index}`, { phase, endedAt: round });
        }
        const ends = current.status?.conditions?.map(({ type }) => type) ?? [];
        assert.ok(ends.includes('Complete') || ends.includes('Failed'), ends.join());
        if (ends.includes('Complete')) assert.equal(current.status?.succeeded ?? 0, spec.completions);
        else assert.equal(current.status?.failed, spec.backoffLimit + 1);
      }),
    );
  });
});

describe('an indexed job', () => {
  const indexed = { completions: 4, parallelism: 2, completionMode: 'Indexed' };
  const numbered = (sketch: PodSketch, index: number): PodSketch => ({
    ...sketch,
    annotations: { [indexAnnotation]: String(index) },
  });

  test('gives the lowest free numbers', () => {
    const { create, status } = plan(indexed, [numbered(done, 0), numbered(running, 2)]);
    assert.deepEqual(create, [{ index: 1 }]);
    assert.deepEqual([status.succeeded, status.completedIndexes], [1, '0']);
  });

  test('knows what was completed before, and counts a number once', () => {
    const { create, status } = plan(indexed, [numbered(done, 1), numbered(done, 1)], { completedIndexes: '0' });
    assert.deepEqual([create, status.completedIndexes], [[{ index: 2 }, { index: 3 }], '0,1']);
  });

  test('passes their numbers to pods', () => {
    const { metadata, spec } = jobTemplate(job({ template: { spec: { containers: [{ name: 'c' }] } } }), 3);
    assert.equal(metadata?.annotations?.[indexAnnotation], '3');
    assert.deepEqual([spec?.hostname, spec?.containers[0]?.env?.[0]?.name], ['j-3', 'JOB_COMPLETION_INDEX']);
  });

  test('writes numbers so that they read the same', () => {
    assert.equal(formatIndexes([0, 1, 2, 5, 7, 8]), '0-2,5,7,8');
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(60)), indexes => {
        assert.deepEqual(
          parseIndexes(formatIndexes(indexes)),
          indexes.toSorted((left, right) => left - right),
        );
      }),
    );
  });
});
