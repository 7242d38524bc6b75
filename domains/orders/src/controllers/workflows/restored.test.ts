import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '@chandlery/testing';
import { workflowsRef } from '../../kinds/workflows/index.ts';
import { maxStepWork } from './settings.ts';
import { type RunnerCall, startTestController } from './test-controller.ts';
import { sh, workflowOf } from './test-documents.ts';

/** More than the controller works on at once. */
const workflowCount = 40;

/** A workflow of so many nodes at once. */
const fanOut = (count: number): object =>
  JSON.parse(
    workflowOf([
      { name: 'main', dag: { tasks: [{ name: 'a', template: 't', withSequence: { count: String(count) } }] } },
      { name: 't', container: sh('sleep 1000') },
    ]),
  ) as object;

const startsIn = (calls: readonly RunnerCall[]): number => calls.filter(({ kind }) => kind === 'start').length;
const isSettled = (calls: readonly RunnerCall[]): boolean => calls.some(({ kind }) => kind === 'settle');

describe('After a restart, finished pods are judged', () => {
  for (const { why, workflows, nodes } of [
    { why: 'more workflows than workers', workflows: workflowCount, nodes: 1 },
    { why: 'a workflow that needs several steps', workflows: 1, nodes: 3 * maxStepWork },
  ]) {
    it(`when every workflow has taken up its own: ${why}`, async () => {
      const calls: RunnerCall[] = [];
      await using test = await startTestController({ endsAtOnce: () => false, onCall: call => calls.push(call) });
      for (let index = 0; index < workflows; index++) await test.submit(fanOut(nodes));
      await eventually(() => startsIn(calls) === workflows * nodes, { what: 'all nodes run' });
      await test.restart(async () => void calls.splice(0));
      await eventually(() => isSettled(calls), { what: 'pods are judged' });
      const before = calls.slice(0, calls.indexOf(calls.find(({ kind }) => kind === 'settle') ?? assert.fail()));
      assert.equal(startsIn(before), workflows * nodes);
      assert.ok(before.every(call => call.kind === 'start' && call.earlierStart !== 'none'));
      assert.equal(calls.length, before.length + 1);
    });
  }

  it('when one of them was deleted meanwhile, and when there is none', async () => {
    const calls: RunnerCall[] = [];
    await using test = await startTestController({ endsAtOnce: () => false, onCall: call => calls.push(call) });
    assert.deepEqual(calls, [{ kind: 'settle' }]);
    const { name } = await test.submit(fanOut(1));
    await eventually(() => startsIn(calls) === 1, { what: 'the node runs' });
    await test.restart(async () => {
      calls.splice(0);
      await test.client.delete({ ...workflowsRef, namespace: 'default', name });
    });
    await eventually(() => isSettled(calls), { what: 'pods are judged' });
    assert.equal(startsIn(calls), 0);
  });
});

/** A workflow with one node that holds a mutex while it runs. */
const locked = (name: string): object => {
  const document = JSON.parse(
    workflowOf([{ name: 'main', synchronization: { mutexes: [{ name: 'one' }] }, container: sh('sleep 1000') }]),
  ) as object;
  return { ...document, metadata: { name } };
};

describe('After a restart, a mutex', () => {
  it('stays with its holder, also when one that waits for it is restored first', async () => {
    const started: string[] = [];
    await using test = await startTestController({
      endsAtOnce: () => false,
      onCall: call => call.kind === 'start' && started.push(call.uid),
    });
    const holder = await test.submit(locked('z-holder'));
    await eventually(() => started.length === 1, { what: 'the holder runs' });
    const waiting = await test.submit(locked('a-waiting'));
    const nodesOfWaiting = async () => JSON.stringify((await test.read(waiting.name)).status?.['nodes']);
    await eventually(async () => (await nodesOfWaiting()).includes('Waiting for default/Mutex/one'), {
      what: 'the other one waits',
    });
    // More than the controller works on at once lie between them.
    for (let index = 0; index < workflowCount; index++)
      await test.submit({ ...fanOut(1), metadata: { name: `m-${index}` } });
    await eventually(() => started.length === 1 + workflowCount, { what: 'all others run' });
    await test.restart(async () => void started.splice(0));
    await eventually(() => started.length >= 1 + workflowCount, { what: 'all are taken up' });
    assert.ok(started.includes(holder.uid));
    assert.ok(!started.includes(waiting.uid));
  });
});
