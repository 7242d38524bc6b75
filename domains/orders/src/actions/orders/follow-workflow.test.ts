import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { FollowedWorkflows } from './follow-workflow.ts';
import type { LogDeps } from './order-log.ts';

/** An order whose Workflow is read slowly, and the number of times that it was read. */
function order() {
  const reads = { count: 0 };
  const state = { status: 'executing', version: 1 };
  const ended = Promise.withResolvers<void>();
  const deps = {
    registry: {
      orders: {
        get: () => ({ id: 'one', status: { status: state.status, workflow: { namespace: 'n', name: 'w' } } }),
        until: (_id: string, _test: unknown, signal: AbortSignal) =>
          Promise.race([ended.promise, new Promise((_, reject) => signal.addEventListener('abort', reject))]),
      },
    },
    workflows: {
      get: async (): Promise<KubeObject> => {
        reads.count += 1;
        const { version } = state;
        await new Promise(resolve => setTimeout(resolve, 20));
        return { apiVersion: 'v1', kind: 'Workflow', metadata: { uid: 'u', resourceVersion: String(version) } };
      },
    },
  } as unknown as LogDeps;
  const end = (): void => {
    Object.assign(state, { status: 'succeeded', version: 2 });
    ended.resolve();
  };
  return { deps, reads, end };
}

const versionOf = (bytes: Uint8Array): string =>
  (JSON.parse(Buffer.from(bytes).toString()) as KubeObject).metadata.resourceVersion ?? '';

test('followers of one order share its readings, and each gets the last state', async () => {
  const { deps, reads, end } = order();
  const followed = new FollowedWorkflows(deps);
  const firsts: PromiseWithResolvers<void>[] = [];
  const follow = async (): Promise<string[]> => {
    const first = Promise.withResolvers<void>();
    firsts.push(first);
    const versions: string[] = [];
    for await (const bytes of followed.follow('one', new AbortController().signal)) {
      versions.push(versionOf(bytes));
      first.resolve();
    }
    return versions;
  };
  const followers = Array.from({ length: 50 }, follow);
  await Promise.all(firsts.map(({ promise }) => promise));
  assert.equal(reads.count, 1);
  end();
  for (const versions of await Promise.all(followers)) assert.deepEqual(versions, ['1', '2']);
  assert.equal(reads.count, 2);
});
