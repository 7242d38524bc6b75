import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startTestPlane } from '@chandlery/testing';
import { workflowKinds, workflowsCluster } from '../../kinds/workflows/index.ts';
import { StatusJoin } from '../../model/workflows/join-workflow.ts';
import { nodesOf, pageSize, removalOfAll, writesOfNodes } from './node-store.ts';
import { createWorkflowRegistry } from './workflow-registry.ts';

const owner = { uid: 'u', namespace: 'default' };

async function startRegistry() {
  await using stack = new AsyncDisposableStack();
  const plane = stack.use(await startTestPlane({ kinds: workflowKinds(new StatusJoin()) }));
  const registry = stack.use(createWorkflowRegistry({ client: plane.connect(workflowsCluster) }));
  await registry.synced;
  const all = stack.move();
  return { registry, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

describe('The store of nodes', () => {
  it('keeps all children of a node, in order, and writes few rows for each addition', async () => {
    await using test = await startRegistry();
    const { registry } = test;
    const node = { id: 'w', name: 'w', children: [] as string[] };
    const counts: number[] = [];
    for (const added of [3, pageSize, 1, 200, 1]) {
      const start = node.children.length;
      for (let at = 0; at < added; at++) node.children.push(`w-${start + at}`);
      const writes = writesOfNodes(registry, owner, [{ node, addedChildren: added }]);
      counts.push(writes.length);
      await registry.commit(writes);
      assert.deepEqual(nodesOf(registry, 'u')[0]?.['children'], node.children);
    }
    assert.deepEqual(counts, [1, 2, 2, 5, 2]);
  });

  it('lists nodes in the order of their creation, and removes them', async () => {
    await using test = await startRegistry();
    const { registry } = test;
    const names = ['w', 'w[0]', 'w[0].b', 'w[0].a'];
    await registry.commit(
      writesOfNodes(
        registry,
        owner,
        names.map(name => ({ node: { id: name, name }, addedChildren: 0 })),
      ),
    );
    assert.deepEqual(
      nodesOf(registry, 'u').map(({ name }) => name),
      names,
    );
    await registry.commit(removalOfAll(registry, 'u'));
    assert.deepEqual(nodesOf(registry, 'u'), []);
  });

  it('does not share a node with the engine, which goes on changing it', async () => {
    await using test = await startRegistry();
    const node = { id: 'w', name: 'w', phase: 'Pending', children: ['a'] };
    await test.registry.commit(writesOfNodes(test.registry, owner, [{ node, addedChildren: 1 }]));
    node.children.push('b');
    node.phase = 'Running';
    assert.deepEqual(nodesOf(test.registry, 'u'), [{ id: 'w', name: 'w', phase: 'Pending', children: ['a'] }]);
  });
});
