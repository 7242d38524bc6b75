import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isOver } from '../../model/pods/pod-status.ts';
import { eventually, noSources, shell, testFolder, testNode, testPod, untilStatus } from './test-node.ts';

describe('a pod that is never restarted', { timeout: 20_000 }, () => {
  test('does not run again on a node that stopped before it could report the start', async () => {
    using folder = testFolder();
    const file = join(folder.path, 'runs');
    const pod = testPod({ restartPolicy: 'Never', containers: [shell(`echo run >> ${file}; sleep 60`)] });
    {
      await using test = testNode({ folder: join(folder.path, 'node') });
      test.node.runPod(pod, noSources);
      await eventually(() => existsSync(file));
    }
    await using test = testNode({ folder: join(folder.path, 'node') });
    // The same object, without a status.
    test.node.runPod(pod, noSources);
    const status = await untilStatus(test.node, 'u1', ({ phase }) => isOver(phase));
    assert.equal(status.phase, 'Failed');
    assert.equal(status.containerStatuses[0]?.state.terminated?.exitCode, 137);
    assert.equal(readFileSync(file, 'utf8'), 'run\n');
  });
});
