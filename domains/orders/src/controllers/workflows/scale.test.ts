import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { silentLogger, systemClock } from '@chandlery/platform';
import { createInformer } from '@chandlery/runtime';
import { eventually, startTestPlane } from '@chandlery/testing';
import {
  type Workflow,
  workflowKinds,
  workflowRecords,
  workflowsCluster,
  workflowsRef,
} from '../../kinds/workflows/index.ts';
import { StatusJoin } from '../../model/workflows/join-workflow.ts';
import { statusOf } from '../../registry/workflows/node-store.ts';
import { createWorkflowRegistry } from '../../registry/workflows/workflow-registry.ts';
import { nodesIn } from '../../test-workflows.ts';
import type { NodeRunner, ObserveNode } from '../../workflow-ports.ts';
import { sh, workflowOf } from './test-documents.ts';
import { WorkflowController } from './workflow-controller.ts';

/** Ends every node at once. */
const endingRunner = (observe: ObserveNode): NodeRunner => ({
  start: ({ workflow, action }) =>
    setImmediate(() => observe(workflow.uid, { kind: 'ended', node: action.node, exitCode: 0 })),
  kill: () => undefined,
  settle: () => undefined,
  release: () => undefined,
  forget: async () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
});

const nodeCount = 2000;
/** One for each second or so. */
const maxWrites = 50;

describe('A workflow of thousands of nodes', () => {
  it('is executed, shows all nodes, and is written at intervals only', async () => {
    await using stack = new AsyncDisposableStack();
    const join = new StatusJoin();
    const plane = stack.use(await startTestPlane({ kinds: workflowKinds(join) }));
    const client = plane.connect(workflowsCluster);
    const registry = stack.use(createWorkflowRegistry({ client }));
    await registry.synced;
    stack.defer(join.attach({ statusOf: uid => statusOf(registry, uid) }));
    const controller = stack.use(
      new WorkflowController({
        client,
        registry,
        createRunner: endingRunner,
        http: { send: async ({ node }) => ({ kind: 'noResponse', node, message: 'none' }) },
        findTemplate: () => () => undefined,
        readConfigMap: () => () => undefined,
        validate: () => [],
        readLimit: () => undefined,
        clock: systemClock,
        logger: silentLogger,
      }),
    );
    await controller.start();
    let writes = 0;
    const records = stack.use(createInformer({ client, ref: workflowRecords }));
    records.listen({ updated: () => void writes++ });
    records.start();
    const document = workflowOf([
      { name: 'main', dag: { tasks: [{ name: 'a', template: 't', withSequence: { count: String(nodeCount) } }] } },
      { name: 't', container: sh('true') },
    ]);
    const at = { ...workflowsRef, namespace: 'default' };
    const { metadata } = await client.create(at, JSON.parse(document) as KubeObject);
    const read = () => client.get<Workflow>({ ...at, name: metadata.name ?? '' });
    await eventually(() => registry.executions.get(metadata.uid ?? '')?.spec.status['phase'] === 'Succeeded', {
      what: 'the workflow succeeds',
      timeoutMs: 60_000,
    });
    const nodes = nodesIn(await read());
    assert.ok(writes < maxWrites, `the Workflow was written ${writes} times`);
    assert.equal(nodes.length, nodeCount + 2);
    assert.ok(nodes.every(({ phase }) => phase === 'Succeeded'));
    const group = nodes.find(({ type }) => type === 'TaskGroup') as { children?: readonly string[] } | undefined;
    assert.equal(group?.children?.length, nodeCount);
  });
});
