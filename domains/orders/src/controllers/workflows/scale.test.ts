import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createInformer } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import { workflowRecords, workflowsRef } from '../../kinds/workflows/index.ts';
import { nodesIn } from '../../test-workflows.ts';
import { startTestController } from './test-controller.ts';
import { sh, workflowOf } from './test-documents.ts';

const nodeCount = 2000;
/** One for each second or so. */
const maxWrites = 50;

const fanOut = (count: number): object =>
  JSON.parse(
    workflowOf([
      { name: 'main', dag: { tasks: [{ name: 'a', template: 't', withSequence: { count: String(count) } }] } },
      { name: 't', container: sh('true') },
    ]),
  ) as object;

describe('A workflow of thousands of nodes', () => {
  it('is executed, shows all nodes, and is written at intervals only', async () => {
    await using test = await startTestController();
    let writes = 0;
    await using records = createInformer({ client: test.client, ref: workflowRecords });
    records.listen({ updated: () => void writes++ });
    records.start();
    const { uid, name } = await test.submit(fanOut(nodeCount));
    await test.untilCompleted(uid);
    const nodes = nodesIn(await test.read(name));
    assert.ok(writes < maxWrites, `the Workflow was written ${writes} times`);
    assert.equal(nodes.length, nodeCount + 2);
    assert.ok(nodes.every(({ phase }) => phase === 'Succeeded'));
    const group = nodes.find(({ type }) => type === 'TaskGroup') as { children?: readonly string[] } | undefined;
    assert.equal(group?.children?.length, nodeCount);
  });

  it("can be written whole by a client, as Argo's command line does", async () => {
    await using test = await startTestController();
    const { uid, name } = await test.submit(fanOut(nodeCount));
    await test.untilCompleted(uid);
    await eventually(async () => {
      const workflow = await test.read(name);
      const labels = { ...workflow.metadata.labels, seen: 'yes' };
      await test.client.update(
        { ...workflowsRef, namespace: 'default', name },
        { ...workflow, metadata: { ...workflow.metadata, labels } },
      );
      return true;
    });
    const { metadata, status } = await test.read(name);
    assert.equal(metadata.labels?.['seen'], 'yes');
    assert.equal(Object.keys(status?.['nodes'] ?? {}).length, nodeCount + 2);
  });
});
