import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '@chandlery/testing';
import { clusterWorkflowTemplatesRef, type Workflow, workflowsRef } from '../../kinds/workflows/index.ts';
import { nodesIn, startTestWorkflows, type TestWorkflows, treeOf } from '../../test-workflows.ts';
import { sh, workflowOf } from './test-documents.ts';

let test: TestWorkflows;
before(async () => {
  test = await startTestWorkflows();
});
after(() => test[Symbol.asyncDispose]());

const at = (name: string) => ({ ...workflowsRef, namespace: 'default', name });
const podsAt = { group: '', version: 'v1', plural: 'pods', namespace: 'default' };
const isPhase =
  (...phases: readonly string[]) =>
  ({ status }: Workflow): boolean =>
    phases.includes(String(status?.['phase']));
const isRunning = (displayName: string) => (workflow: Workflow) =>
  nodesIn(workflow).some(node => node.displayName === displayName && node.phase === 'Running');
const patchSpec = (name: string, spec: Record<string, string | boolean | null>) =>
  test.client.patch(at(name), { type: 'merge', body: { spec } });

const gated = workflowOf([
  { name: 'main', steps: [[{ name: 'gate', template: 'gate' }], [{ name: 'after', template: 'after' }]] },
  { name: 'gate', suspend: {} },
  { name: 'after', container: sh('true') },
]);
const sleeping = workflowOf([
  { name: 'main', steps: [[{ name: 'a', template: 'a' }]] },
  { name: 'a', container: sh('exec sleep 300') },
]);

/** Changes the nodes of a workflow by PUT, as Argo's command line does. */
async function putNodes(name: string, change: (nodes: Record<string, Record<string, unknown>>) => void): Promise<void> {
  const workflow = structuredClone(await test.read(name));
  const { nodes } = workflow.status as { nodes: Record<string, Record<string, unknown>> };
  change(nodes);
  await test.client.update(at(name), workflow);
}

describe('A running workflow', () => {
  it('is resumed by a PUT that ends the suspended node', async () => {
    const name = await test.submit(gated);
    await test.until(name, isRunning('gate'));
    await putNodes(name, nodes => {
      const gate = Object.values(nodes).find(({ type }) => type === 'Suspend');
      Object.assign(gate ?? {}, {
        phase: 'Succeeded',
        message: 'Resumed by: map[User:me]',
        finishedAt: new Date().toISOString(),
      });
    });
    const workflow = await test.until(name, isPhase('Succeeded'));
    assert.ok(
      treeOf(workflow).includes('wf[0].gate Suspend Succeeded: Resumed by: map[User:me]'),
      treeOf(workflow).join('\n'),
    );
  });

  it('starts nothing while spec.suspend is set, and continues when it is cleared', async () => {
    const name = await test.submit(workflowOf([{ name: 'main', container: sh('true') }], { suspend: true }));
    await test.until(name, ({ status }) => status !== undefined);
    await patchSpec(name, { suspend: null });
    await test.until(name, isPhase('Succeeded'));
  });

  for (const shutdown of ['Stop', 'Terminate'] as const) {
    it(`is shut down by a merge patch of spec.shutdown: ${shutdown}`, async () => {
      const name = await test.submit(sleeping);
      await test.until(name, isRunning('a'));
      await patchSpec(name, { shutdown });
      const workflow = await test.until(name, isPhase('Failed'));
      assert.ok(treeOf(workflow).includes(`wf[0].a Pod Failed: workflow shutdown with strategy:  ${shutdown}`));
    });
  }

  it('continues where it was after a restart of the controller, and finds its pod', async () => {
    const document = workflowOf([
      { name: 'main', steps: [[{ name: 'a', template: 'a' }], [{ name: 'b', template: 'b' }]] },
      {
        name: 'a',
        outputs: { parameters: [{ name: 'o', valueFrom: { path: '/tmp/o' } }] },
        container: sh('sleep 1; date +%N > /tmp/o'),
      },
      { name: 'b', container: sh('true') },
    ]);
    const name = await test.submit(document);
    await test.until(name, isRunning('a'));
    const { items } = await test.client.list(podsAt, { labelSelector: `workflows.argoproj.io/workflow=${name}` });
    await test.restartController();
    await test.until(name, isPhase('Succeeded'));
    const after = await test.client.list(podsAt, { labelSelector: `workflows.argoproj.io/workflow=${name}` });
    const first = items[0]?.metadata;
    assert.equal(after.items.find(({ metadata }) => metadata.name === first?.name)?.metadata.uid, first?.uid);
  });

  it('loses a node whose pod somebody deletes', async () => {
    const name = await test.submit(sleeping);
    const running = await test.until(name, isRunning('a'));
    const { items } = await test.client.list(podsAt, {
      labelSelector: `workflows.argoproj.io/workflow=${running.metadata.name}`,
    });
    await test.client.delete({ ...podsAt, name: items[0]?.metadata.name ?? '' }, { gracePeriodSeconds: 1 });
    const workflow = await test.until(name, isPhase('Failed', 'Error'));
    assert.ok(treeOf(workflow).includes('wf[0].a Pod Error: pod deleted'), treeOf(workflow).join('\n'));
  });

  it('goes with its pods, rows and logs when it is deleted', async () => {
    const name = await test.submit(sleeping);
    const { metadata } = await test.until(name, isRunning('a'));
    await test.client.delete(at(name));
    const { registry } = test.workflows;
    await eventually(() => registry.executions.get(metadata.uid ?? '') === undefined, { what: 'rows are removed' });
    assert.equal(registry.nodes.count('workflow', metadata.uid ?? ''), 0);
    await eventually(
      async () =>
        (await test.client.list(podsAt, { labelSelector: `workflows.argoproj.io/workflow=${name}` })).items.length ===
        0,
      { what: 'pods are removed' },
    );
  });

  it('is deleted when its time to live has passed', async () => {
    const name = await test.submit(
      workflowOf([{ name: 'main', container: sh('true') }], { ttlStrategy: { secondsAfterCompletion: 0 } }),
    );
    await eventually(
      () =>
        test.read(name).then(
          () => false,
          () => true,
        ),
      { what: 'the workflow is deleted' },
    );
  });

  it('holds a mutex that another workflow waits for', async () => {
    const locked = (script: string) =>
      workflowOf([{ name: 'main', container: sh(script) }], { synchronization: { mutexes: [{ name: 'one' }] } });
    const first = await test.submit(locked('sleep 1'));
    await test.until(first, isPhase('Running'));
    const second = await test.submit(locked('true'));
    const waiting = await test.until(second, isPhase('Pending'));
    assert.match(String(waiting.status?.['message']), /^Waiting for default\/Mutex\/one lock/);
    await test.until(second, isPhase('Succeeded'));
    assert.equal((await test.read(first)).status?.['phase'], 'Succeeded');
  });

  it('uses templates that are stored for all namespaces', async () => {
    await test.client.create(clusterWorkflowTemplatesRef, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'ClusterWorkflowTemplate',
      metadata: { name: 'shared' },
      spec: { templates: [{ name: 'say', container: sh('true') }] },
    });
    const templateRef = { name: 'shared', template: 'say', clusterScope: true };
    const workflow = await test.execute(workflowOf([{ name: 'main', steps: [[{ name: 'a', templateRef }]] }]));
    assert.deepEqual(treeOf(workflow), ['wf Steps Succeeded', 'wf[0] StepGroup Succeeded', 'wf[0].a Pod Succeeded']);
  });

  it('runs again when a client removes failed nodes of it', async () => {
    const document = workflowOf([
      { name: 'main', steps: [[{ name: 'a', template: 'a' }], [{ name: 'b', template: 'b' }]] },
      { name: 'a', container: sh('true') },
      {
        name: 'b',
        container: sh(
          'test -e /tmp/chandlery-$ARGO_WORKFLOW_UID || { touch /tmp/chandlery-$ARGO_WORKFLOW_UID; exit 1; }; rm /tmp/chandlery-$ARGO_WORKFLOW_UID',
        ),
      },
    ]);
    const failed = structuredClone(await test.execute(document));
    assert.equal(failed.status?.['phase'], 'Failed');
    const status = failed.status as unknown as {
      phase: string;
      nodes: Record<
        string,
        { name: string; phase: string; children?: string[]; finishedAt?: string; message?: string }
      >;
    };
    const name = failed.metadata.name ?? '';
    for (const [id, node] of Object.entries(status.nodes)) {
      if (node.name.startsWith(`${name}[1]`)) delete status.nodes[id];
      else if (node.phase === 'Failed') Object.assign(node, { phase: 'Running', message: '' });
    }
    for (const node of Object.values(status.nodes))
      node.children = (node.children ?? []).filter(id => status.nodes[id] !== undefined);
    status.phase = 'Running';
    await test.client.update(at(name), failed);
    const workflow = await test.until(name, isPhase('Succeeded'));
    assert.ok(treeOf(workflow).includes('wf[1].b Pod Succeeded'));
  });
});
