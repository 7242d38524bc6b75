import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { tempFolder } from '@chandlery/testing';
import type { ArtifactStore } from '../../workflow-ports.ts';
import { readOutputs } from './read-outputs.ts';

const limit = 256 * 1024;

for (const { why, bytes, isRejected } of [
  { why: 'is read whole up to the limit', bytes: limit, isRejected: false },
  { why: 'is an error above the limit, and not cut', bytes: limit + 1, isRejected: true },
]) {
  test(`an output parameter ${why}`, async () => {
    await using folder = await tempFolder();
    await writeFile(folder.join('out'), 'x'.repeat(bytes));
    const reading = readOutputs({
      template: { outputs: { parameters: [{ name: 'big', valueFrom: { path: '/tmp/out' } }] } },
      workflow: { uid: 'u', name: 'wf', namespace: 'default' },
      podName: 'wf',
      artifacts: {} as ArtifactStore,
      roots: [folder.join('.')],
      hostPathOf: () => folder.join('out'),
    });
    if (isRejected)
      await assert.rejects(reading, { code: 'Orders:too-large', message: /output parameter 'big' is larger than/ });
    else assert.equal((await reading).parameters['big']?.length, bytes);
  });
}
