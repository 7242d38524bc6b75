import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChandleryError } from '@chandlery/api';
import type { Timers } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import { cloudError } from '../../endpoints/clouds/cloud-errors.ts';
import type { MachineEvents, ReceivedEvent } from '../../ports/machine-events.ts';
import { followQueue } from './follow-queue.ts';

const message = (receipt: string): ReceivedEvent => ({ event: { type: 'change' }, receipt });

/** A queue whose responses are given; afterwards it waits without end. */
function queueOf(responses: readonly (readonly ReceivedEvent[] | ChandleryError)[], idlePauseMs = 0) {
  const asked: number[] = [];
  const removed: string[] = [];
  const events: MachineEvents = {
    ...{ name: 'queue', idlePauseMs, batch: 10 },
    receive: async (max, signal) => {
      const response = responses[asked.push(max) - 1];
      if (response === undefined)
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        );
      if (response instanceof Error) throw response;
      return response;
    },
    remove: async receipts => void removed.push(...receipts),
  };
  return { events, asked, removed };
}

async function follow(queue: ReturnType<typeof queueOf>, count: number) {
  const pauses: number[] = [];
  const outcomes: (string | undefined)[] = [];
  const received: string[] = [];
  const timers: Timers = {
    after: (ms, call) => {
      pauses.push(ms);
      queueMicrotask(call);
      return () => undefined;
    },
  };
  const abort = new AbortController();
  const ended = followQueue({
    ...{ events: queue.events, timers, random: () => 0, signal: abort.signal },
    onReceived: each => received.push(...each.map(({ receipt }) => receipt)),
    onOutcome: error => outcomes.push(error?.code),
  });
  await eventually(() => queue.asked.length === count, { what: `${count} requests` });
  abort.abort();
  await ended;
  return { pauses, outcomes, received };
}

test('messages are removed after they were handled, and the next ones are asked for at once', async () => {
  const queue = queueOf([[message('a'), message('b')], [], [message('c')]]);
  const { pauses, outcomes, received } = await follow(queue, 4);
  assert.deepEqual(received, ['a', 'b', 'c']);
  assert.deepEqual(queue.removed, ['a', 'b', 'c']);
  assert.deepEqual(pauses, []);
  assert.deepEqual(outcomes, [undefined, undefined, undefined]);
});

test('a queue that responds at once is asked again after a pause', async () => {
  const { pauses } = await follow(queueOf([[], [message('a')], []], 2000), 4);
  assert.deepEqual(pauses, [2000, 2000]);
});

test('after failures it waits, longer and longer, and asks for one message, which cannot be too large', async () => {
  const failure = cloudError('CloudUnreachable', 'no');
  const throttled = cloudError('CloudThrottled', 'wait', { retryAfterSeconds: 60 });
  const queue = queueOf([failure, failure, throttled, [message('a')], []]);
  const { pauses, outcomes } = await follow(queue, 6);
  assert.deepEqual(pauses, [1000, 2000, 60_000]);
  assert.deepEqual(queue.asked, [10, 1, 1, 1, 10, 10]);
  assert.deepEqual(outcomes, ['CloudUnreachable', 'CloudUnreachable', 'CloudThrottled', undefined, undefined]);
});

test('messages that cannot be removed were handled, and come again', async () => {
  const queue = queueOf([[message('a')], [message('a')]]);
  let isFirst = true;
  const failing: MachineEvents = {
    ...queue.events,
    remove: async (receipts, signal) => {
      if (!isFirst) return queue.events.remove(receipts, signal);
      isFirst = false;
      throw cloudError('CloudUnreachable', 'no');
    },
  };
  const { received } = await follow({ ...queue, events: failing }, 3);
  assert.deepEqual(received, ['a', 'a']);
  assert.deepEqual(queue.removed, ['a']);
});
