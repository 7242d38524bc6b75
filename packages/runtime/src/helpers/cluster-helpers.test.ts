import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { ManualClock } from '@chandlery/platform';
import { boat, boats, startTestPlane, type TestPlane } from '../controller/test-plane.ts';
import { apply } from './apply-objects.ts';
import { createEventRecorder } from './event-recorder.ts';

const events = { group: '', version: 'v1', plural: 'events', namespace: 'default' };
const maps = { group: '', version: 'v1', plural: 'configmaps', namespace: 'default' };
const moored = { type: 'Normal', reason: 'Moored', message: 'Moored at pier 3.' } as const;

let plane: TestPlane;
before(async () => {
  plane = await startTestPlane();
});
after(() => plane[Symbol.asyncDispose]());

async function eventsOf(name: string): Promise<readonly KubeObject[]> {
  const { items } = await plane.client.list(events, { fieldSelector: `involvedObject.name=${name}` });
  return items;
}

describe('An event recorder', () => {
  it('counts the same event instead of repeating it', async () => {
    const clock = new ManualClock();
    await using recorder = createEventRecorder({ client: plane.client, component: 'harbour', clock });
    const object = await plane.client.create(boats, boat('counted'));
    recorder.record(object, moored);
    clock.advance(60_000);
    recorder.record(object, moored);
    recorder.record(object, { ...moored, message: 'Moored at pier 4.' });
    await recorder.flush();
    const found = await eventsOf('counted');
    assert.deepEqual(found.map(event => [event['message'], event['count']]).sort(), [
      ['Moored at pier 3.', 2],
      ['Moored at pier 4.', 1],
    ]);
    const counted = found.find(event => event['count'] === 2);
    assert.equal(counted?.['lastTimestamp'], '2030-01-01T00:01:00Z');
    assert.equal(counted?.['firstTimestamp'], '2030-01-01T00:00:00Z');
  });

  it('does not listen to an object that says too much, for a while', async () => {
    const clock = new ManualClock();
    const options = { client: plane.client, component: 'harbour', clock, burst: 2, refillMs: 1000 };
    await using recorder = createEventRecorder(options);
    const object = await plane.client.create(boats, boat('loud'));
    for (let i = 0; i < 5; i++) recorder.record(object, { ...moored, message: `Moored at pier ${i}.` });
    await recorder.flush();
    assert.equal((await eventsOf('loud')).length, 2);
    clock.advance(1000);
    recorder.record(object, { ...moored, message: 'Moored at last.' });
    await recorder.flush();
    assert.equal((await eventsOf('loud')).length, 3);
  });

  it('drops what it cannot write and what it cannot hold', async () => {
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    await using recorder = createEventRecorder({ client: plane.client, component: 'harbour', maxWaiting: 1, onError });
    recorder.record(boat('nowhere', { namespace: 'missing' }), moored);
    recorder.record(boat('nowhere', { namespace: 'missing' }), moored);
    await recorder.flush();
    assert.equal(errors.length, 1);
  });
});

describe('Applying objects', () => {
  it('creates, changes, and removes only what it applied before', async () => {
    const map = (data: object): KubeObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'applied', namespace: 'default' },
      data,
    });
    const applyMap = (data: object) => apply(plane.client, 'harbour', [{ plural: 'configmaps', object: map(data) }]);
    await applyMap({ a: '1', b: '1' });
    await plane.client.patch({ ...maps, name: 'applied' }, { type: 'merge', body: { data: { c: '1' } } });
    const [applied] = await applyMap({ a: '2' });
    assert.deepEqual(applied?.['data'], { a: '2', c: '1' });
  });
});
