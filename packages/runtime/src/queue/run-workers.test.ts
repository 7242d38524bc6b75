import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as tick } from 'node:timers/promises';
import { apiError } from '@chandlery/api';
import { terminalError } from '../helpers/errors.ts';
import { createWorkQueue } from './create-work-queue.ts';
import { type RunWorkersOptions, runWorkers, type WorkFailure, type WorkResult } from './run-workers.ts';
import { TestTime } from './test-timers.ts';

function start(work: RunWorkersOptions<string>['work'], options: Partial<RunWorkersOptions<string>> = {}) {
  const time = new TestTime();
  const queue = createWorkQueue<string>({ clock: time.clock, timers: time, random: () => 0, backOff: { baseMs: 100 } });
  const failed: WorkFailure<string>[] = [];
  const workers = runWorkers({
    name: 'test',
    queue,
    work,
    timers: time,
    onFailure: failure => failed.push(failure),
    ...options,
  });
  return { time, queue, workers, failed };
}

test('a key is worked on once for each time that it is added', async () => {
  const seen: string[] = [];
  const { queue, workers } = start(key => {
    seen.push(key);
    return 'done';
  });
  await using _ = workers;
  for (const key of ['x', 'a', 'b', 'a']) queue.add(key);
  await tick();
  assert.deepEqual(seen, ['x', 'a', 'b']);
  queue.add('a');
  await tick();
  assert.deepEqual(seen, ['x', 'a', 'b', 'a']);
});

test('a key comes back when it asked to', async () => {
  let count = 0;
  const { queue, workers, time } = start(() => (++count < 3 ? { requeueAfterMs: 1000 } : 'done'));
  await using _ = workers;
  queue.add('a');
  for (const expected of [1, 2, 3, 3]) {
    await tick();
    assert.equal(count, expected);
    time.advance(1000);
  }
});

test('a failure is retried with back-off, is reported, and does not delay other keys', async () => {
  const seen: string[] = [];
  const { queue, workers, time, failed } = start((key, { failures }) => {
    seen.push(`${key}${failures}`);
    if (key === 'bad' && failures < 2) throw new Error('broken');
    return 'done';
  });
  await using _ = workers;
  queue.add('bad');
  queue.add('good');
  await tick();
  time.advance(100);
  await tick();
  time.advance(200);
  await tick();
  assert.deepEqual(seen, ['bad0', 'good0', 'bad1', 'bad2']);
  assert.deepEqual(
    failed.map(({ key, error, class: kind, failures }) => [key, error.message, kind, failures]),
    [
      ['bad', 'broken', 'transient', 1],
      ['bad', 'broken', 'transient', 2],
    ],
  );
  queue.add('bad');
  await tick();
  assert.equal(seen.at(-1), 'bad0', 'success forgets the failures');
});

test('a conflict is retried without a notification', async () => {
  let count = 0;
  const { queue, workers, time, failed } = start(() => {
    if (++count === 1) throw apiError('Conflict', 'another writer was faster');
    return 'done';
  });
  await using _ = workers;
  queue.add('a');
  await tick();
  time.advance(100);
  await tick();
  assert.deepEqual([count, failed], [2, []]);
});

test('a terminal error is not tried again before the key is added again', async () => {
  let count = 0;
  const { queue, workers, time, failed } = start(() => {
    count++;
    throw terminalError('never');
  });
  await using _ = workers;
  queue.add('a');
  await tick();
  time.advance(1_000_000);
  await tick();
  assert.deepEqual([count, failed[0]?.class], [1, 'terminal']);
  queue.add('a');
  await tick();
  assert.equal(count, 2);
});

test('several keys are worked on at a time, each by one worker', async () => {
  const gate = Promise.withResolvers<void>();
  const active = new Set<string>();
  const { queue, workers } = start(
    async (key): Promise<WorkResult> => {
      assert.ok(!active.has(key));
      active.add(key);
      await gate.promise;
      return 'done';
    },
    { concurrency: 2 },
  );
  await using _ = workers;
  for (const key of ['a', 'b', 'c']) queue.add(key);
  await tick();
  assert.deepEqual([...active], ['a', 'b']);
  queue.add('a');
  gate.resolve();
});

test('workers that stop wait for the work, and abort it after the grace period', async () => {
  const { queue, workers, time, failed } = start(
    (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      }),
    { graceMs: 500 },
  );
  queue.add('a');
  await tick();
  let isStopped = false;
  const stopped = workers[Symbol.asyncDispose]().then(() => {
    isStopped = true;
  });
  time.advance(499);
  await tick();
  assert.equal(isStopped, false);
  time.advance(1);
  await stopped;
  assert.deepEqual(failed, [], 'what was aborted has not failed');
});
