import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { DrainWatch } from './drain-watch.ts';
import { TaskQueue } from './task-queue.ts';

describe('the task queue', () => {
  test('works on a key once at a time, and again when it was added meanwhile', async () => {
    let running = 0;
    let runs = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    await using queue = new TaskQueue({
      work: async () => {
        assert.equal(++running, 1);
        runs++;
        await promise;
        running--;
        return {};
      },
      onFailure: (_, error) => assert.fail(String(error)),
    });
    queue.add('a');
    await eventually(() => running === 1);
    for (let times = 0; times < 5; times++) queue.add('a');
    resolve();
    await eventually(() => queue.isIdle);
    assert.equal(runs, 2);
  });

  test('comes back to what failed, and is not idle until that is done', async () => {
    let runs = 0;
    const failures: string[] = [];
    await using queue = new TaskQueue({
      work: async () => {
        if (++runs < 3) throw new Error(`failure ${runs}`);
        return {};
      },
      onFailure: (key, error) => void failures.push(`${key}: ${(error as Error).message}`),
    });
    queue.add('a');
    await eventually(() => runs === 1 && failures.length === 1);
    assert.equal(queue.isIdle, false);
    await eventually(() => queue.isIdle);
    assert.deepEqual([runs, failures], [3, ['a: failure 1', 'a: failure 2']]);
  });

  test('runs a task again when it asks for it', async () => {
    let runs = 0;
    await using queue = new TaskQueue({
      work: async () => (++runs < 3 ? { again: 1 } : {}),
      onFailure: (_, error) => assert.fail(String(error)),
    });
    queue.add('a');
    await eventually(() => runs === 3);
  });

  test('works on no more keys at once than it may', async () => {
    let running = 0;
    let most = 0;
    let done = 0;
    await using queue = new TaskQueue({
      work: async () => {
        most = Math.max(most, ++running);
        await new Promise(setImmediate);
        running--;
        done++;
        return {};
      },
      onFailure: (_, error) => assert.fail(String(error)),
      concurrency: 3,
    });
    for (let key = 0; key < 20; key++) queue.add(String(key));
    await eventually(() => done === 20);
    assert.equal(most, 3);
  });
});

describe('the drain watch', () => {
  test('asks for another scan when as many objects were deleted as were left', () => {
    const watch = new DrainWatch();
    assert.equal(watch.isWorthALook('a'), false);
    watch.begin('a');
    assert.equal(watch.isWorthALook('a'), false, 'a look is under way');
    assert.equal(watch.remains('a', 3), false);
    assert.deepEqual(
      [1, 2].map(() => watch.isWorthALook('a')),
      [false, true],
    );
    watch.end('a');
    assert.equal(watch.isWorthALook('a'), false);
  });

  test('asks for another look at once when all that is left went during the look', () => {
    const watch = new DrainWatch();
    watch.begin('a');
    watch.isWorthALook('a');
    assert.equal(watch.remains('a', 1), true);
  });
});
