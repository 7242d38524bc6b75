import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorkQueue } from './create-work-queue.ts';
import { backgroundShare } from './fair-order.ts';
import { TestTime } from './test-timers.ts';
import { relistPriority, type Work, type WorkQueue, type WorkQueueOptions } from './work-queue.ts';

function start(options: WorkQueueOptions<string> = {}) {
  const time = new TestTime();
  const queue = createWorkQueue<string>({ clock: time.clock, timers: time, random: () => 0, ...options });
  return { time, queue };
}

async function take(queue: WorkQueue<string>): Promise<Work<string>> {
  const work = await queue.next();
  assert.ok(work);
  return work;
}

/** Everything that is due, in order, each finished before the next. */
async function takeAll(queue: WorkQueue<string>): Promise<string[]> {
  const keys: string[] = [];
  while (queue.size > 0) {
    using work = await take(queue);
    keys.push(work.key);
  }
  return keys;
}

const tenantOf = (key: string): string => key.split('/')[0] ?? '';

test('a key waits once, however often it is added', async () => {
  const { queue } = start();
  await using _ = queue;
  for (const key of ['a', 'b', 'a', 'a']) queue.add(key);
  assert.deepEqual(await takeAll(queue), ['a', 'b']);
});

test('a key added while it is worked on waits again after done, and not before', async () => {
  const { queue } = start();
  await using _ = queue;
  queue.add('a');
  const work = await take(queue);
  queue.add('a');
  queue.add('a');
  assert.equal(queue.size, 0);
  work.done();
  work.done();
  assert.deepEqual(await takeAll(queue), ['a']);
});

test('a worker that waits gets a key as soon as it is added', async () => {
  const { queue } = start();
  await using _ = queue;
  const next = queue.next();
  queue.add('a');
  const work = await next;
  assert.equal(work?.key, 'a');
  work?.done();
});

test('keys that are objects are the same when their identity is', async () => {
  await using queue = createWorkQueue<{ namespace: string; name: string }>();
  queue.add({ namespace: 'n', name: 'a' });
  queue.add({ namespace: 'n', name: 'a' });
  assert.equal(queue.size, 1);
});

test('a delayed key is not due before its time, and the earliest time counts', async () => {
  const { queue, time } = start();
  await using _ = queue;
  queue.addAfter('a', 1000);
  queue.addAfter('a', 300);
  queue.addAfter('a', 5000);
  time.advance(299);
  assert.equal(queue.size, 0);
  time.advance(1);
  assert.deepEqual(await takeAll(queue), ['a']);
  time.advance(10_000);
  assert.equal(queue.size, 0);
});

test('a delayed key that is added is due at once', async () => {
  const { queue } = start();
  await using _ = queue;
  queue.addAfter('a', 1000);
  queue.add('a');
  assert.deepEqual([queue.size, queue.delayed], [1, 0]);
});

test('a delayed key that falls due while it is worked on waits for done', async () => {
  const { queue, time } = start();
  await using _ = queue;
  queue.add('a');
  const work = await take(queue);
  queue.addAfter('a', 10);
  time.advance(20);
  assert.equal(queue.size, 0);
  work.done();
  assert.equal(queue.size, 1);
});

test('failures double the delay of a key until they are forgotten', async () => {
  const { queue, time } = start({ backOff: { baseMs: 10, maxMs: 35 } });
  await using _ = queue;
  const delays: number[] = [];
  for (let i = 0; i < 4; i++) {
    const before = time.nowMs;
    queue.addRateLimited('a');
    time.advanceToNext();
    using work = await take(queue);
    assert.equal(work.failures, i + 1);
    delays.push(time.nowMs - before);
  }
  assert.deepEqual(delays, [10, 20, 35, 35]);
  queue.forget('a');
  queue.addRateLimited('a');
  time.advance(10);
  assert.deepEqual(await takeAll(queue), ['a']);
});

test('the higher priority goes first, equals in the order of adding, and a second addition can only raise', async () => {
  const { queue } = start();
  await using _ = queue;
  queue.add('relisted', { priority: relistPriority });
  queue.add('raised', { priority: relistPriority });
  queue.add('first');
  queue.add('urgent', { priority: 5 });
  queue.add('second');
  queue.add('raised', { priority: 1 });
  queue.add('urgent', { priority: -1 });
  assert.deepEqual(await takeAll(queue), ['urgent', 'raised', 'first', 'second', 'relisted']);
});

test('ten thousand items of one tenant do not hold up another', async () => {
  const { queue } = start({ tenantOf });
  await using _ = queue;
  for (let i = 0; i < 10_000; i++) queue.add(`noisy/${i}`);
  for (let i = 0; i < 3; i++) queue.add(`quiet/${i}`);
  const order = await takeAll(queue);
  assert.deepEqual(
    order.flatMap((key, at) => (key.startsWith('quiet') ? [at] : [])),
    [1, 3, 5],
  );
});

test('a tenant with more weight gets more items in each round', async () => {
  const { queue } = start({ tenantOf, weightOf: tenant => (tenant === 'big' ? 3 : 1) });
  await using _ = queue;
  for (let i = 0; i < 4; i++) for (const tenant of ['small', 'big']) queue.add(`${tenant}/${i}`);
  assert.deepEqual((await takeAll(queue)).map(tenantOf).join(' '), 'small big big big small big small small');
});

test('a re-list of many tenants does not hold up a live change, and live changes do not starve a re-list', async () => {
  const { queue } = start({ tenantOf });
  await using _ = queue;
  for (let i = 0; i < 100; i++) queue.add(`tenant-${i}/listed`, { priority: relistPriority });
  for (let i = 0; i < 100; i++) queue.add(`live/${i}`);
  const order = await takeAll(queue);
  assert.ok(order.indexOf('live/0') <= 1);
  assert.ok(order.indexOf('tenant-0/listed') < backgroundShare);
  assert.ok(order.indexOf('live/99') < 100 + 100 / (backgroundShare - 1) + 1);
});

test('a rate limit holds back what exceeds the burst', async () => {
  const { queue, time } = start({ rateLimit: { perSecond: 10, burst: 2 } });
  await using _ = queue;
  const taken: string[] = [];
  for (const key of ['a', 'b', 'c', 'd']) {
    queue.add(key);
    void queue.next().then(work => {
      taken.push(work?.key ?? 'none');
      work?.done();
    });
  }
  await Promise.resolve();
  assert.deepEqual(taken, ['a', 'b']);
  time.advance(100);
  await Promise.resolve();
  assert.deepEqual(taken, ['a', 'b', 'c']);
  time.advance(100);
  await Promise.resolve();
  assert.deepEqual(taken, ['a', 'b', 'c', 'd']);
});

test('waiting ends with the signal, and the key goes to another worker', async () => {
  const { queue } = start();
  await using _ = queue;
  const controller = new AbortController();
  const gaveUp = queue.next(controller.signal);
  const waits = queue.next();
  controller.abort();
  queue.add('a');
  assert.equal(await gaveUp, undefined);
  (await waits)?.done();
  assert.equal(queue.active, 0);
});

test('draining hands out what is due, drops what is delayed, and waits for the work', async () => {
  const { queue, time } = start();
  queue.add('a');
  queue.add('b');
  queue.addAfter('late', 10);
  const a = await take(queue);
  queue.add('a');
  let isStopped = false;
  const stopped = queue.stop('drain').then(() => {
    isStopped = true;
  });
  queue.add('too late');
  const b = await take(queue);
  a.done();
  const again = await take(queue);
  assert.deepEqual([b.key, again.key], ['b', 'a']);
  const none = queue.next();
  b.done();
  assert.equal(isStopped, false);
  again.done();
  assert.equal(await none, undefined);
  await stopped;
  assert.equal(time.pending, 0);
});

test('abandoning drops what waits, frees the workers, and waits for the work', async () => {
  const { queue, time } = start();
  queue.add('a');
  queue.addAfter('late', 10);
  const work = await take(queue);
  queue.add('a');
  queue.add('b');
  const stopped = queue.stop();
  assert.equal(await queue.next(), undefined);
  work.done();
  await stopped;
  assert.deepEqual([queue.size, queue.delayed, queue.active, time.pending], [0, 0, 0, 0]);
});

test('a drain can be cut short', async () => {
  const { queue } = start();
  queue.add('a');
  const drained = queue.stop('drain');
  await queue.stop('abandon');
  await drained;
  assert.equal(await queue.next(), undefined);
});
