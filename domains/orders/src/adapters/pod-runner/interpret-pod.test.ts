import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { interpretPod, type PodObject, type PodState } from './interpret-pod.ts';

type Status = NonNullable<PodObject['status']>;

const terminated = (name: string, exitCode: number, more: object = {}) => ({
  name,
  state: { terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', ...more } },
});
const pod = (status: Status, metadata: object = {}): PodObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', ...metadata },
  spec: {
    nodeName: 'n',
    containers: [{ name: 'main' }],
    initContainers: [{ name: 'i' }, { name: 's', restartPolicy: 'Always' }],
  },
  status,
});
const ended = (exitCode: number, more: object = {}): PodState => ({
  type: 'ended',
  exitCode,
  isOutOfMemory: false,
  containers: { main: exitCode },
  ...more,
});

interface Row {
  readonly why: string;
  readonly pod: PodObject;
  readonly isKilled?: boolean;
  readonly wanted: PodState;
}

const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 };

const rows: readonly Row[] = [
  { why: 'it was not scheduled yet', pod: pod({}), wanted: { type: 'waiting' } },
  {
    why: 'its container runs and is not ready',
    pod: pod({ phase: 'Running', containerStatuses: [{ name: 'main', ready: false, state: { running: {} } }] }),
    wanted: { type: 'running', isReady: false },
  },
  {
    why: 'it succeeded',
    pod: pod({ phase: 'Succeeded', containerStatuses: [terminated('main', 0)] }),
    wanted: ended(0),
  },
  {
    why: 'its work has ended and a sidecar is being stopped',
    pod: pod({ phase: 'Running', containerStatuses: [terminated('main', 3)] }),
    wanted: ended(3),
  },
  {
    why: 'it ran out of memory',
    pod: pod({ phase: 'Failed', containerStatuses: [terminated('main', 137, { reason: 'OOMKilled' })] }),
    wanted: ended(137, { isOutOfMemory: true }),
  },
  {
    why: 'an init container failed',
    pod: pod({ phase: 'Failed', initContainerStatuses: [terminated('i', 2)], containerStatuses: [] }),
    wanted: { type: 'ended', exitCode: 2, message: 'i: Error (exit code 2)', isOutOfMemory: false, containers: {} },
  },
  {
    why: 'its processes ended with the node',
    pod: pod({
      phase: 'Failed',
      containerStatuses: [
        terminated('main', 137, { message: 'The node was restarted and its processes were killed.' }),
      ],
    }),
    wanted: { type: 'lost', message: 'The node was restarted and its processes were killed.' },
  },
  {
    why: 'nothing runs for its image',
    pod: pod({
      phase: 'Failed',
      containerStatuses: [terminated('main', 128, { message: 'Image "x" cannot run here' })],
    }),
    wanted: { type: 'lost', message: 'Image "x" cannot run here' },
  },
  {
    why: 'somebody deleted it and its processes are being ended',
    pod: pod({ phase: 'Running', containerStatuses: [{ name: 'main', state: { running: {} } }] }, deleted),
    wanted: { type: 'waiting' },
  },
  {
    why: 'somebody deleted it and its processes have ended',
    pod: pod({ phase: 'Failed', containerStatuses: [terminated('main', 143)] }, deleted),
    wanted: { type: 'lost', message: 'pod deleted' },
  },
  {
    why: 'the engine killed it',
    pod: pod({ phase: 'Failed', containerStatuses: [terminated('main', 143)] }, deleted),
    isKilled: true,
    wanted: ended(143),
  },
  {
    why: 'it had succeeded before somebody deleted it',
    pod: pod({ phase: 'Succeeded', containerStatuses: [terminated('main', 0)] }, deleted),
    wanted: ended(0),
  },
];

describe('The state of a pod is told when', () => {
  for (const { why, pod: given, isKilled = false, wanted } of rows)
    it(why, () => assert.deepEqual(interpretPod(given, isKilled), wanted));
});
