import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deadlineMs, describeDeployment } from './deployment-status.ts';
import type { Deployment, DeploymentStatus, ReplicaSet } from './objects.ts';

const now = new Date('2030-01-01T00:10:00Z');
const earlier = '2030-01-01T00:09:00Z';

const deployment = (spec: Deployment['spec'], status: DeploymentStatus = {}): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', generation: 2 },
  spec: { replicas: 3, ...spec },
  status,
});

const set = (name: string, replicas: number, available: number): ReplicaSet => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name },
  spec: { replicas },
  status: { replicas, readyReplicas: available, availableReplicas: available },
});

const progressing = (reason: string, lastUpdateTime = earlier): DeploymentStatus => ({
  observedGeneration: 2,
  replicas: 3,
  updatedReplicas: 3,
  readyReplicas: 3,
  availableReplicas: 3,
  conditions: [{ type: 'Progressing', status: 'True', reason, message: '', lastUpdateTime }],
});

const reasonOf = ({ conditions }: DeploymentStatus, type: string): string | undefined => {
  const found = conditions?.find(condition => condition.type === type);
  return found === undefined ? undefined : `${found.status} ${found.reason}`;
};

describe('the status of a deployment', () => {
  test('adds up its sets', () => {
    const status = describeDeployment(
      { deployment: deployment({}), current: set('n', 1, 0), old: [set('a', 3, 3)], isNewSet: false },
      now,
    );
    const { replicas, updatedReplicas, readyReplicas, availableReplicas, unavailableReplicas } = status;
    assert.deepEqual(
      [replicas, updatedReplicas, readyReplicas, availableReplicas, unavailableReplicas],
      [4, 1, 3, 3, 1],
    );
    assert.equal(status.observedGeneration, 2);
  });

  const untouched = { current: set('n', 3, 3), old: [], isNewSet: false };
  const stuck = { current: set('n', 3, 1), old: [], isNewSet: false };
  for (const [why, view, available, progress] of [
    [
      'is complete',
      { deployment: deployment({}), ...untouched },
      'True MinimumReplicasAvailable',
      'True NewReplicaSetAvailable',
    ],
    [
      'has made a set',
      { deployment: deployment({}), ...stuck, isNewSet: true },
      'False MinimumReplicasUnavailable',
      'True NewReplicaSetCreated',
    ],
    [
      'is in progress',
      { deployment: deployment({}), ...stuck },
      'False MinimumReplicasUnavailable',
      'True ReplicaSetUpdated',
    ],
    [
      'stays complete when a pod fails later',
      { deployment: deployment({}, progressing('NewReplicaSetAvailable')), ...stuck },
      'False MinimumReplicasUnavailable',
      'True NewReplicaSetAvailable',
    ],
    [
      'is late',
      { deployment: deployment({ progressDeadlineSeconds: 60 }, progressing('ReplicaSetUpdated')), ...stuck },
      'False MinimumReplicasUnavailable',
      'False ProgressDeadlineExceeded',
    ],
    [
      'is not late yet',
      { deployment: deployment({ progressDeadlineSeconds: 61 }, progressing('ReplicaSetUpdated')), ...stuck },
      'False MinimumReplicasUnavailable',
      'True ReplicaSetUpdated',
    ],
    [
      'has no deadline',
      { deployment: deployment({ progressDeadlineSeconds: 2 ** 31 - 1 }, progressing('ReplicaSetUpdated')), ...stuck },
      'False MinimumReplicasUnavailable',
      undefined,
    ],
    [
      'waits',
      { deployment: deployment({ paused: true }), ...stuck },
      'False MinimumReplicasUnavailable',
      'Unknown DeploymentPaused',
    ],
    [
      'continues after a pause',
      { deployment: deployment({}, progressing('DeploymentPaused')), ...stuck },
      'False MinimumReplicasUnavailable',
      'True ReplicaSetUpdated',
    ],
    [
      'wants no pods',
      { deployment: deployment({ replicas: 0 }), current: set('n', 0, 0), old: [], isNewSet: false },
      'True MinimumReplicasAvailable',
      'True NewReplicaSetAvailable',
    ],
  ] as const) {
    test(`says that it ${why}`, () => {
      const status = describeDeployment(view, now);
      assert.deepEqual([reasonOf(status, 'Available'), reasonOf(status, 'Progressing')], [available, progress]);
    });
  }

  test('is the same when it is stated again', () => {
    const first = describeDeployment({ deployment: deployment({}), ...untouched }, now);
    const later = new Date(now.getTime() + 60_000);
    assert.deepEqual(describeDeployment({ deployment: deployment({}, first), ...untouched }, later), first);
  });

  test('restarts the deadline with each progress', () => {
    const before = { ...progressing('ReplicaSetUpdated'), availableReplicas: 0, readyReplicas: 0 };
    const { conditions } = describeDeployment({ deployment: deployment({}, before), ...stuck }, now);
    const condition = conditions?.find(({ type }) => type === 'Progressing');
    assert.equal(condition?.lastUpdateTime, '2030-01-01T00:10:00Z');
    assert.equal(deadlineMs(deployment({ progressDeadlineSeconds: 10 }), condition), now.getTime() + 10_000);
  });
});
