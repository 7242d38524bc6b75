import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { type WorkflowWatch, watchWorkflows } from './support/watch-workflows.ts';

/** Nodes besides the items: the DAG, the group of its loop, and the suspended task. */
const otherNodes = 3;
const workflows = '/clusters/platform/apis/argoproj.io/v1alpha1/namespaces/default/workflows';
const limits = { timeout: 180_000 };

interface Node {
  readonly id: string;
  readonly displayName: string;
  readonly phase: string;
}
interface Workflow {
  readonly metadata: { readonly name: string };
  readonly status?: { readonly phase?: string; readonly nodes?: Readonly<Record<string, Node>> };
}

/** A loop whose items are nodes, but no processes, and a task that waits for a client. */
const documentOf = (name: string, count: number): object => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  metadata: { name },
  spec: {
    entrypoint: 'main',
    templates: [
      {
        name: 'main',
        dag: {
          tasks: [
            { name: 'many', template: 'never', when: "'{{item}}' == 'none'", withSequence: { count: String(count) } },
            { name: 'approve', template: 'wait', depends: 'many' },
          ],
        },
      },
      { name: 'never', container: { image: 'alpine:3.7', command: ['true'] } },
      { name: 'wait', suspend: {} },
    ],
  },
});

const nodesOf = ({ status }: Workflow): readonly Node[] => Object.values(status?.nodes ?? {});
const waitingIn = (workflow: Workflow): Node | undefined =>
  nodesOf(workflow).find(({ displayName, phase }) => displayName === 'approve' && phase === 'Running');
const isNamed =
  (name: string, fits: (workflow: Workflow) => boolean) =>
  (workflow: Workflow): boolean =>
    workflow.metadata.name === name && fits(workflow);

/** The object as `argo resume` writes it. */
function resumed(workflow: Workflow): Workflow {
  const waiting = waitingIn(workflow) ?? assert.fail('nothing waits');
  const nodes = { ...workflow.status?.nodes, [waiting.id]: { ...waiting, phase: 'Succeeded' } };
  return { ...workflow, status: { ...workflow.status, nodes } };
}

let landscape: TestLandscape;
let watch: WorkflowWatch<Workflow>;
before(async () => {
  landscape = await startTestLandscape();
  watch = await watchWorkflows<Workflow>(landscape, workflows);
});
after(async () => {
  await watch[Symbol.asyncDispose]();
  await landscape[Symbol.asyncDispose]();
});

/** Runs a workflow until it waits for a client. */
async function submit(name: string, count: number): Promise<void> {
  const { status, text } = await landscape.request(workflows, { body: documentOf(name, count) });
  assert.equal(status, 201, text);
  const seen = await watch.until(isNamed(name, workflow => waitingIn(workflow) !== undefined));
  assert.equal(nodesOf(seen).length, count + otherNodes);
}

const read = async (name: string): Promise<Workflow> =>
  JSON.parse((await landscape.request(`${workflows}/${name}`)).text) as Workflow;

async function assertSucceeds(name: string, count: number): Promise<void> {
  const ended = await watch.until(isNamed(name, ({ status }) => status?.phase === 'Succeeded'));
  assert.equal(nodesOf(ended).length, count + otherNodes);
}

test('a Workflow of 10,000 nodes can be read, watched and replaced by HTTPS, as Argo resumes', limits, async () => {
  await submit('replaced', 10_000);
  await eventually(async () => {
    const body = resumed(await read('replaced'));
    assert.equal(nodesOf(body).length, 10_000 + otherNodes);
    const { status, text } = await landscape.request(`${workflows}/replaced`, { method: 'PUT', body });
    assert.ok(status === 200 || status === 409, text.slice(0, 500));
    return status === 200;
  });
  await assertSucceeds('replaced', 10_000);
});

test('one can be patched, and one that is too large to be replaced is rejected', limits, async () => {
  await submit('patched', 10_000);
  const workflow = await read('patched');
  const { id } = waitingIn(workflow) ?? assert.fail();
  const nodes = Object.fromEntries(Array.from({ length: 30_001 }, (_, index) => [`n-${index}`, { id: `n-${index}` }]));
  const large = { ...workflow, status: { ...workflow.status, nodes } };
  const put = await landscape.request(`${workflows}/patched`, { method: 'PUT', body: large });
  assert.deepEqual([put.status, put.json()['reason']], [413, 'RequestEntityTooLarge']);
  const patched = await landscape.request(`${workflows}/patched`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { status: { nodes: { [id]: { phase: 'Succeeded' } } } },
  });
  assert.equal(patched.status, 200, patched.text.slice(0, 500));
  await assertSucceeds('patched', 10_000);
});

test('B2 more templates and tasks than the CRD of Argo allows are executed', limits, async () => {
  const names = Array.from({ length: 201 }, (_, index) => `t-${index}`);
  const tasks = names.map(name => ({ name, template: name, when: '1 == 2' }));
  const leaves = names.map(name => ({ name, container: { image: 'alpine:3.7', command: ['true'] } }));
  const spec = { entrypoint: 'main', templates: [{ name: 'main', dag: { tasks } }, ...leaves] };
  const body = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', metadata: { name: 'broad' }, spec };
  const made = await landscape.request(workflows, { body });
  assert.equal(made.status, 201, made.text);
  const ended = await watch.until(isNamed('broad', ({ status }) => status?.phase === 'Succeeded'));
  assert.equal(nodesOf(ended).length, names.length + 1);
});
