import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { podLogsOf } from './pod-logs.ts';
import type { LogRequest, PodNode } from './ports.ts';

/** A node with one pod in cluster `a`. */
const node = {
  list: (cluster?: string) => (cluster === 'a' ? ['uid-1'] : []),
  readLog: async function* ({ uid, container, tailLines }: LogRequest) {
    yield Buffer.from(`${uid} ${container} ${tailLines}`);
  },
} as Partial<PodNode> as PodNode;

const request = { pod: { metadata: { uid: 'uid-1', name: 'web' } }, container: 'main', tailLines: 3 };

describe('Logs of pods', () => {
  it('are read from the node that runs them', async () => {
    const lines = await podLogsOf(node).read({ ...request, cluster: 'a' });
    const [line] = await Array.fromAsync(lines);
    assert.equal(Buffer.from(line ?? []).toString(), 'uid-1 main 3');
  });

  it('are not found in another cluster', async () => {
    await assert.rejects(podLogsOf(node).read({ ...request, cluster: 'b' }), { code: 'NotFound' });
  });
});
