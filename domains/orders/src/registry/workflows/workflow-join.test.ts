import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { startTestPlane } from '@chandlery/testing';
import {
  argoApiVersion,
  workflowKinds,
  workflowRecords,
  workflowsCluster,
  workflowsRef,
} from '../../kinds/workflows/index.ts';
import { StatusJoin } from '../../model/workflows/join-workflow.ts';
import { statusOf, writesOfNodes } from './node-store.ts';
import { createRow, createWorkflowRegistry } from './workflow-registry.ts';

const namespace = 'default';
const at = { ...workflowsRef, namespace, name: 'hello' };
const recordAt = { ...workflowRecords, namespace, name: 'hello' };
const hello = (): KubeObject => ({
  apiVersion: argoApiVersion,
  kind: 'Workflow',
  metadata: { name: 'hello' },
  spec: { entrypoint: 'main', unknown: { kept: [1, 'a'] } },
});
const gate = { id: 'hello-1', name: 'hello.gate', type: 'Suspend', phase: 'Running' };

async function startWorkflows() {
  await using stack = new AsyncDisposableStack();
  const join = new StatusJoin();
  const plane = stack.use(await startTestPlane({ kinds: workflowKinds(join) }));
  const client = plane.connect(workflowsCluster);
  const registry = stack.use(createWorkflowRegistry({ client }));
  await registry.synced;
  stack.defer(join.attach({ statusOf: uid => statusOf(registry, uid) }));
  const all = stack.move();
  return { client, registry, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

type Workflows = Awaited<ReturnType<typeof startWorkflows>>;

/** Creates a workflow that runs and has one suspended node. */
async function begin({ client, registry }: Workflows, times: object = {}): Promise<KubeObject> {
  const created = await client.create({ ...workflowsRef, namespace }, hello());
  const uid = created.metadata.uid ?? '';
  const tenant = namespace;
  await registry.commit([
    createRow({
      table: 'executions',
      id: uid,
      tenant,
      spec: { workflow: 'hello', status: { phase: 'Running', progress: '0/1', ...times } },
    }),
    ...writesOfNodes(registry, { uid, namespace }, [{ node: { ...gate, ...times }, addedChildren: 0 }]),
  ]);
  return client.get(at);
}

describe('A Workflow', () => {
  it('is stored with fields that nobody knows', async () => {
    await using workflows = await startWorkflows();
    await workflows.client.create({ ...workflowsRef, namespace }, hello());
    const found = await workflows.client.get(at);
    assert.deepEqual(found['spec'], hello()['spec']);
    assert.equal(found.kind, 'Workflow');
    assert.equal(found.apiVersion, argoApiVersion);
  });

  it('shows nodes that are stored apart, in get and list', async () => {
    await using workflows = await startWorkflows();
    const found = await begin(workflows);
    const wanted = { phase: 'Running', progress: '0/1', nodes: { 'hello-1': gate } };
    assert.deepEqual(found['status'], wanted);
    const { items } = await workflows.client.list({ ...workflowsRef, namespace });
    assert.deepEqual(
      items.map(item => item['status']),
      [wanted],
    );
    assert.equal((await workflows.client.get(recordAt))['status'], undefined);
  });

  it('shows them in events of a watch', async () => {
    await using workflows = await startWorkflows();
    await begin(workflows);
    const stop = new AbortController();
    const phases: unknown[] = [];
    for await (const { object } of workflows.client.watch({ ...workflowsRef, namespace }, { signal: stop.signal })) {
      phases.push(Object.keys((object['status'] as { nodes?: object }).nodes ?? {}));
      if (phases.length === 2) stop.abort();
      else await workflows.client.patch(recordAt, { type: 'merge', body: { nodesVersion: 1 } });
    }
    assert.deepEqual(phases, [['hello-1'], ['hello-1']]);
  });

  it('keeps an edit of a suspended node for the controller, and shows it', async () => {
    await using workflows = await startWorkflows();
    const found = await begin(workflows);
    const resumed = { ...gate, phase: 'Succeeded', message: 'Resumed by: me' };
    await workflows.client.update(at, {
      ...found,
      status: { ...(found['status'] as object), nodes: { 'hello-1': resumed } },
    });
    assert.deepEqual((await workflows.client.get(recordAt))['edits'], { nodes: { 'hello-1': resumed } });
    await workflows.client.patch(at, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
    assert.deepEqual((await workflows.client.get(recordAt))['edits'], { nodes: { 'hello-1': resumed } });
    const shown = (await workflows.client.get(at))['status'] as { nodes: object };
    assert.deepEqual(shown.nodes, { 'hello-1': resumed });
  });

  it('shows times in whole seconds, and takes them back without an edit', async () => {
    await using workflows = await startWorkflows();
    await begin(workflows, { startedAt: '2026-01-02T03:04:05.678Z' });
    const found = await workflows.client.get(at);
    const { startedAt, nodes } = found['status'] as { startedAt: string; nodes: Record<string, { startedAt: string }> };
    assert.equal(startedAt, '2026-01-02T03:04:05Z');
    assert.equal(nodes['hello-1']?.startedAt, '2026-01-02T03:04:05Z');
    await workflows.client.update(at, found);
    assert.equal((await workflows.client.get(recordAt))['edits'], undefined);
  });

  it('takes a merge patch of spec without touching nodes', async () => {
    await using workflows = await startWorkflows();
    await begin(workflows);
    await workflows.client.patch(at, { type: 'merge', body: { spec: { shutdown: 'Stop' } } });
    const record = await workflows.client.get(recordAt);
    assert.equal((record['spec'] as { shutdown?: string }).shutdown, 'Stop');
    assert.equal(record['edits'], undefined);
  });
});
