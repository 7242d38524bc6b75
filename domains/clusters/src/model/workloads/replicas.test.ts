import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { PodObject } from './objects.ts';
import { isPodReady } from './pods.ts';
import { countReplicas, planReplicas } from './replicas.ts';
import { type PodSketch, sketchPod } from './test-pods.ts';

const names = (pods: readonly PodObject[]): string => pods.map(({ metadata }) => metadata.name).join(' ');

describe('which pod of a replica set goes first', () => {
  const steady: PodSketch = { readySince: 10, created: 5 };
  for (const [why, first, second] of [
    ['one without a node', { ...steady, node: '' }, steady],
    ['one that does not run yet', { ...steady, phase: 'Pending' }, steady],
    ['one that is not ready', { created: 5 }, steady],
    ['a cheap one', { ...steady, annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-5' } }, steady],
    ['one that became ready later', { ...steady, readySince: 20 }, steady],
    ['one that was restarted more often', { ...steady, restarts: 2 }, steady],
    ['a younger one', { ...steady, created: 9 }, steady],
  ] as const) {
    test(why, () => {
      const pods = [sketchPod('second', second), sketchPod('first', first)];
      assert.equal(names(planReplicas(1, pods).remove), 'first');
      assert.equal(names(planReplicas(1, pods.toReversed()).remove), 'first', 'in whatever order they come');
    });
  }
});

describe('a replica set', () => {
  const pods = fc.array(
    fc.record(
      { readySince: fc.option(fc.nat(50), { nil: undefined }), created: fc.nat(50) },
      { requiredKeys: ['created'] },
    ),
    { maxLength: 20 },
  );

  test('has as many pods as it wants after one step, and takes no ready one while another is not', () => {
    fc.assert(
      fc.property(pods, fc.nat(20), (sketches, wanted) => {
        const all = sketches.map((sketch, index) => sketchPod(`p${index}`, sketch as PodSketch));
        const { create, remove } = planReplicas(wanted, all);
        assert.equal(all.length + create - remove.length, wanted);
        assert.ok(create === 0 || remove.length === 0);
        const kept = all.filter(pod => !remove.includes(pod));
        if (remove.some(isPodReady)) assert.ok(kept.every(isPodReady));
      }),
    );
  });

  test('counts a pod as available when it was ready for long enough', () => {
    const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: {}, spec: { minReadySeconds: 10 } };
    const all = [sketchPod('a', { readySince: 100 }), sketchPod('b', { readySince: 105 }), sketchPod('c')];
    const { status, availableAtMs } = countReplicas(set, all, new Date(110_000));
    assert.deepEqual([status.replicas, status.readyReplicas, status.availableReplicas], [3, 2, 1]);
    assert.equal(availableAtMs, 115_000);
  });
});
