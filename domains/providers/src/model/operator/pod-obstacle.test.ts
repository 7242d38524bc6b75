import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { podObstacle } from './pod-obstacle.ts';

const waiting = (reason: string, message?: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  status: { containerStatuses: [{ image: 'foo:1', state: { waiting: { reason, message } } }] },
});

const cases: readonly { why: string; pod: KubeObject | undefined; expected: string | undefined }[] = [
  { why: 'there is no pod', pod: undefined, expected: undefined },
  { why: 'it is about to run', pod: waiting('ContainerCreating'), expected: undefined },
  { why: 'there is no such image', pod: waiting('ErrImagePull', 'x'), expected: 'its image "foo:1" cannot be had' },
  { why: 'nor later', pod: waiting('ImagePullBackOff', 'y'), expected: 'its image "foo:1" cannot be had' },
  {
    why: 'what it needs is missing',
    pod: waiting('CreateContainerConfigError', 'secret "s" not found'),
    expected: 'secret "s" not found',
  },
];
for (const { why, pod, expected } of cases)
  test(`what keeps a pod from running: ${why}`, () => assert.equal(podObstacle(pod), expected));
