import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestKernel, type TestKernel } from '../../test-kernel.ts';
import type { Pod } from './objects.ts';

const pod = (name: string) => ({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }] } });

describe('a pod', () => {
  let plane: TestKernel;
  before(async () => void (plane = await startTestKernel()));
  after(() => plane[Symbol.asyncDispose]());

  const scheduled = async (name: string) =>
    ((await plane.get('pods', name)) as Pod).status?.conditions?.find(({ type }) => type === 'PodScheduled');
  const eventsOf = async (name: string) =>
    (await plane.list('events')).filter(event => (event['involvedObject'] as { name: string }).name === name);

  test('on a cluster without nodes says so in a condition and an event', async () => {
    await plane.create('pods', pod('stranded'));
    const condition = await scheduled('stranded');
    assert.deepEqual([condition?.status, condition?.reason], ['False', 'Unschedulable']);
    assert.match(condition?.message ?? '', /this cluster has no nodes/);
    const [event] = await eventsOf('stranded');
    assert.deepEqual([event?.['reason'], event?.['type']], ['FailedScheduling', 'Warning']);
  });

  test('on a cluster with a node waits for it without a complaint', async () => {
    await plane.create('nodes', { metadata: { name: 'n' } });
    await plane.create('pods', pod('waiting'));
    assert.equal(await scheduled('waiting'), undefined);
    assert.deepEqual(await eventsOf('waiting'), []);
  });
});
