import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WatchItem } from '@chandlery/kernel';
import { DeliveryQueue } from './delivery-queue.ts';

/** A client that takes `room` frames and then nothing until it reads. */
function startQueue() {
  let now = 0;
  let room = 0;
  let waiting = Promise.withResolvers<void>();
  const taken: string[] = [];
  const client = { isOpen: true, wasCut: false };
  const stream = {
    get isOpen() {
      return client.isOpen;
    },
    write(frame: Uint8Array) {
      taken.push(Buffer.from(frame).toString().trim());
      room -= 1;
      return room > 0;
    },
    drained: () => (room > 0 || !client.isOpen ? Promise.resolve() : waiting.promise),
    cut() {
      client.isOpen = false;
      client.wasCut = true;
      waiting.resolve();
    },
  };
  const frames = {
    frame: (item: WatchItem) => Buffer.from(item.type === 'BOOKMARK' ? 'bookmark' : String(item.served.revision)),
    error: () => Buffer.alloc(0),
  };
  const queue = new DeliveryQueue({ stream, frames, now: () => now });
  return {
    queue,
    taken,
    client,
    pass: (ms: number) => void (now += ms),
    read: (frameCount: number) => {
      room = frameCount;
      waiting.resolve();
      waiting = Promise.withResolvers();
    },
  };
}

const event = (revision: number, bytes = 1000): WatchItem =>
  ({
    type: 'ADDED',
    served: { revision },
    source: { change: { value: { bytes: { length: bytes } } } },
  }) as unknown as WatchItem;
const events = (from: number, to: number, bytes?: number): WatchItem[] =>
  Array.from({ length: to - from + 1 }, (_, index) => event(from + index, bytes));
const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

describe('the delivery of events', () => {
  test('needs no waiting for a client that keeps up', () => {
    const { queue, taken, read } = startQueue();
    read(100);
    assert.equal(queue.push(events(1, 10)), undefined);
    assert.deepEqual(taken, numbers(1, 10));
  });

  test('waits for the client, whatever the size of a batch, and keeps the order', async () => {
    const { queue, taken, client, read } = startQueue();
    read(3);
    const first = queue.push(events(1, 20, 1024 * 1024));
    const second = queue.push(events(21, 22));
    assert.deepEqual(taken, numbers(1, 3));
    for (let round = 0; round < 7; round++) {
      await new Promise(setImmediate);
      read(3);
    }
    await Promise.all([first, second]);
    assert.deepEqual(taken, numbers(1, 22));
    assert.equal(client.wasCut, false);
    read(10);
    assert.equal(queue.push([event(23)]), undefined);
    assert.deepEqual(taken, numbers(1, 23));
  });

  test('ends for a client that takes nothing while much waits', async () => {
    const { queue, client, pass } = startQueue();
    const delivery = queue.push(events(1, 10, 1024 * 1024));
    pass(9000);
    void queue.push([event(11)]);
    assert.equal(client.wasCut, false);
    pass(1000);
    void queue.push([event(12)]);
    assert.equal(client.wasCut, true);
    await delivery;
  });

  test('ends for a client that falls too far behind', () => {
    const { queue, client } = startQueue();
    void queue.push(events(1, 64, 1024 * 1024));
    assert.equal(client.wasCut, false);
    void queue.push(events(65, 70, 1024 * 1024));
    assert.equal(client.wasCut, true);
  });
});
