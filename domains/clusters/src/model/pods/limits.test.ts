import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { unenforcedLimits } from './limits.ts';
import type { Container } from './pod.ts';
import { recordFailedStart } from './record.ts';
import { named, TestSituation } from './test-situation.ts';

describe('limits that are not enforced', () => {
  const cases: readonly { why: string; resources: Container['resources']; expected: readonly string[] }[] = [
    { why: 'none without resources', resources: undefined, expected: [] },
    { why: 'not memory, which is watched', resources: { limits: { memory: '1Gi' } }, expected: [] },
    { why: 'not requests of a share', resources: { requests: { cpu: 1, memory: '1Gi' } }, expected: [] },
    {
      why: 'all others, sorted',
      resources: { limits: { 'nvidia.com/gpu': 1, cpu: 1 }, requests: { 'amd.com/gpu': 1 } },
      expected: ['amd.com/gpu', 'cpu', 'nvidia.com/gpu'],
    },
  ];
  for (const { why, resources, expected } of cases) {
    test(`are: ${why}`, () => {
      const containers = [named('main', resources === undefined ? {} : { resources })];
      assert.deepEqual(unenforcedLimits({ containers }, new Set(['memory'])), expected);
    });
  }
});

describe('a container that can never be made', () => {
  const fail = (restartPolicy: string): TestSituation => {
    const pod = new TestSituation({ restartPolicy, initContainers: [named('i')], containers: [named('main')] });
    pod.missing.add('main');
    pod.exit('i', 0);
    pod.observed = recordFailedStart(pod.observed, 'main', { reason: 'ErrImagePull', message: 'no image' }, pod.now);
    pod.settle();
    return pod;
  };

  test('fails a pod that runs once', () => {
    const pod = fail('Never');
    assert.equal(pod.summary, 'Failed Completed ErrImagePull');
    assert.deepEqual(pod.decision.actions, []);
    const ended = pod.decision.status.containerStatuses[0]?.state.terminated;
    assert.equal(ended?.exitCode, 128);
    assert.equal(ended?.message, 'no image');
  });

  test('is tried again when the restart policy says so', () => {
    assert.equal(fail('Always').decision.status.phase, 'Running');
  });
});
