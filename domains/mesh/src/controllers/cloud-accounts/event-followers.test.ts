import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger, systemClock } from '@chandlery/platform';
import { systemTimers } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import type { CloudAccount } from '../../kinds/clouds/cloud-account.ts';
import type { MachineEvents } from '../../ports/machine-events.ts';
import { EventFollowers, maxQueues } from './event-followers.ts';

const account = (uid: string): CloudAccount => ({
  apiVersion: 'mesh.chandlery.io/v1alpha1',
  kind: 'CloudAccount',
  metadata: { name: uid, namespace: 'shop', uid, generation: 1 },
  spec: { pollSeconds: 30 },
});

/** A queue at which requests wait until they are aborted. */
const silentQueue = (name: string): MachineEvents => ({
  ...{ name, idlePauseMs: 0, batch: 1 },
  receive: (_max, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  remove: async () => {},
});

test('the queues of a cluster are followed up to a number, and the others once there is room', async () => {
  const opened: string[] = [];
  await using followers = new EventFollowers({
    ...{ clock: systemClock, timers: systemTimers, random: () => 0, logger: silentLogger },
    ...{ enqueue: () => {}, onEvents: () => {} },
  });
  const follow = (uid: string, queues: number): void =>
    followers.follow(account(uid), {
      ...{ key: 'k', cloud: 'aws', queues },
      open: async () => {
        opened.push(uid);
        return Array.from({ length: queues }, (_, at) => silentQueue(`${uid} ${at}`));
      },
    });
  follow('a', maxQueues - 1);
  follow('b', 2);
  follow('c', 1);
  await eventually(() => opened.length === 2, { what: 'two accounts to be followed' });
  assert.deepEqual(opened, ['a', 'c']);
  assert.equal(followers.outcomeOf('b')?.error?.code, 'CloudQueuesTooMany');
  followers.stop('a');
  follow('b', 2);
  await eventually(() => opened.includes('b'), { what: 'the other one' });
  assert.equal(followers.outcomeOf('b'), undefined);
});
