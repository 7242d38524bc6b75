import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FairQueue } from './fair-queue.ts';

const drain = (queue: FairQueue<string>): string[] => {
  const taken: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
};

describe('a fair queue', () => {
  it('lets senders take turns, each in the order of its own', () => {
    const queue = new FairQueue<string>({ maxWaiting: 10, maxWaitingOfOne: 5 });
    for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.add(item.slice(0, 1), item);
    assert.deepEqual(drain(queue), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    assert.equal(queue.take(), undefined);
  });

  it('is bounded, for each sender and in all', () => {
    const queue = new FairQueue<string>({ maxWaiting: 3, maxWaitingOfOne: 2 });
    assert.deepEqual(
      ['a', 'a', 'a', 'b', 'c'].map(sender => queue.add(sender, sender)),
      [true, true, false, true, false],
    );
    queue.take();
    assert.equal(queue.add('c', 'c'), true);
  });
});
