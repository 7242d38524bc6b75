import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { noSources, shell, testNode, testPod, untilStatus } from './test-node.ts';

const skip = process.platform === 'linux' ? false : 'processes are measured by /proc';

test('a container is measured with all that it started and wrote', { skip }, async () => {
  await using stage = testNode();
  const { node } = stage;
  const busy = shell('head -c 100000 /dev/zero > file; (while :; do :; done) & wait');
  node.runPod(testPod({ containers: [busy] }), noSources);
  await untilStatus(node, 'u1', ({ phase }) => phase === 'Running');
  await eventually(async () => ((await node.usageOf('u1', 'main'))?.cpuCores ?? 0) > 0.05, {
    what: 'the loop uses the processor',
  });
  const usage = await node.usageOf('u1', 'main');
  assert.ok(usage !== undefined && usage.memoryBytes > 0);
  assert.ok(usage.ephemeralStorageBytes >= 100_000 && usage.ephemeralStorageBytes < 1_000_000);
  assert.equal(usage.storageBytes, 0);
  assert.equal(await node.usageOf('u1', 'other'), undefined);
  assert.equal(await node.usageOf('u2', 'main'), undefined);
  await node.stopPod('u1', 0);
  assert.equal(await node.usageOf('u1', 'main'), undefined);
});
