import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WatchItem } from '../resources/watch.ts';
import { EventQueue } from './event-queue.ts';

const items = (from: number, count: number): WatchItem[] =>
  Array.from({ length: count }, (_, index) => ({ type: 'BOOKMARK', revision: from + index, isInitialEnd: false }));

describe('a queue of events', () => {
  test('gives what is there, then what comes, then the end', async () => {
    const queue = new EventQueue();
    void queue.push(items(1, 2));
    void queue.push(items(3, 1));
    assert.deepEqual(await queue.take(), items(1, 3));
    const next = queue.take();
    void queue.push(items(4, 1));
    queue.end();
    void queue.push(items(5, 1));
    assert.deepEqual(await next, items(4, 1));
    assert.equal(await queue.take(), undefined);
  });

  test('continues after an empty push', async () => {
    const queue = new EventQueue();
    const next = queue.take();
    void queue.push([]);
    await Promise.resolve();
    void queue.push(items(1, 1));
    assert.deepEqual(await next, items(1, 1));
  });

  test('gives what came before an error first', async () => {
    const queue = new EventQueue();
    void queue.push(items(1, 1));
    queue.end(new Error('over'));
    queue.end(new Error('too late'));
    assert.deepEqual(await queue.take(), items(1, 1));
    await assert.rejects(queue.take(), /over/);
  });

  test('asks those who can wait to wait for its reader', async () => {
    const queue = new EventQueue();
    assert.equal(queue.push(items(1, 10)), undefined);
    const room = queue.push(items(11, 1000));
    assert.ok(room);
    await queue.take();
    await room;
    assert.equal(queue.push(items(1, 1)), undefined);
  });

  test('releases a waiting producer when its reader will never come', async () => {
    const queue = new EventQueue();
    const room = queue.push(items(1, 1000));
    queue.end();
    await room;
  });

  test('cuts off a reader that lags far behind, with what it has', async () => {
    const queue = new EventQueue();
    void queue.push(items(1, 20_001));
    void queue.push(items(20_002, 1));
    assert.equal((await queue.take())?.length, 20_001);
    assert.equal(await queue.take(), undefined);
  });

  test('stalls when nothing comes', async () => {
    await assert.rejects(new EventQueue().take(1), { code: 'WatchStalled' });
  });
});
