import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { nodesIn, outputsOf, startTestWorkflows, type TestWorkflows, treeOf } from '../../test-workflows.ts';
import { sh, workflowOf } from './test-documents.ts';

let test: TestWorkflows;
before(async () => {
  test = await startTestWorkflows();
});
after(() => test[Symbol.asyncDispose]());

const output = (path: string) => ({ parameters: [{ name: 'o', valueFrom: { path } }] });
const valueOf = (workflow: Parameters<typeof outputsOf>[0], displayName: string): unknown =>
  (outputsOf(workflow, displayName)?.['parameters'] as { value?: string }[] | undefined)?.[0]?.value;

interface Row {
  readonly why: string;
  readonly document: string;
  readonly phase: string;
  readonly tree: readonly string[];
  /** Values of output parameters by display name. */
  readonly values?: Readonly<Record<string, string>>;
}

const rows: readonly Row[] = [
  {
    why: 'steps pass parameters and results on, and standard error is no result',
    document: workflowOf([
      {
        name: 'main',
        steps: [
          [{ name: 'a', template: 'say', arguments: { parameters: [{ name: 'm', value: 'x' }] } }],
          [
            {
              name: 'b',
              template: 'say',
              arguments: {
                parameters: [{ name: 'm', value: '{{steps.a.outputs.result}}-{{steps.a.outputs.parameters.o}}' }],
              },
            },
          ],
        ],
      },
      {
        name: 'say',
        inputs: { parameters: [{ name: 'm' }] },
        outputs: output('/tmp/out.txt'),
        container: sh('echo {{inputs.parameters.m}}; echo no >&2; echo file-{{inputs.parameters.m}} > /tmp/out.txt'),
      },
    ]),
    phase: 'Succeeded',
    tree: [
      'wf Steps Succeeded',
      'wf[0] StepGroup Succeeded',
      'wf[0].a Pod Succeeded',
      'wf[1] StepGroup Succeeded',
      'wf[1].b Pod Succeeded',
    ],
    values: { a: 'file-x', b: 'file-x-file-x' },
  },
  {
    why: 'a folder goes as an artifact from a script to a container, and a failure that is handled does not fail a dag',
    document: workflowOf([
      {
        name: 'main',
        dag: {
          tasks: [
            { name: 'A', template: 'make' },
            {
              name: 'B',
              template: 'use',
              depends: 'A',
              arguments: { artifacts: [{ name: 'in', from: '{{tasks.A.outputs.artifacts.out}}' }] },
            },
            { name: 'F', template: 'fail', depends: 'A' },
            { name: 'G', template: 'make', depends: 'F.Failed' },
          ],
        },
      },
      {
        name: 'make',
        outputs: { artifacts: [{ name: 'out', path: '/tmp/made' }] },
        script: { image: 'x', command: ['sh'], source: 'mkdir /tmp/made; echo -n content > /tmp/made/file' },
      },
      {
        name: 'use',
        inputs: { artifacts: [{ name: 'in', path: '/inputs/folder' }] },
        outputs: output('/tmp/seen'),
        container: sh('cp /inputs/folder/file /tmp/seen'),
      },
      { name: 'fail', container: sh('exit 3') },
    ]),
    phase: 'Succeeded',
    tree: [
      'wf DAG Succeeded',
      'wf.A Pod Succeeded',
      'wf.B Pod Succeeded',
      'wf.F Pod Failed: main: Error (exit code 3)',
      'wf.G Pod Succeeded',
    ],
    values: { B: 'content' },
  },
  {
    why: 'items of a loop have private paths, and the exit handler sees the status',
    document: workflowOf(
      [
        {
          name: 'main',
          steps: [
            [
              {
                name: 'a',
                template: 'say',
                withItems: ['1', '2'],
                arguments: { parameters: [{ name: 'm', value: '{{item}}' }] },
              },
            ],
          ],
        },
        {
          name: 'say',
          inputs: { parameters: [{ name: 'm' }] },
          outputs: output('/tmp/out.txt'),
          container: sh('echo {{inputs.parameters.m}} > /tmp/out.txt; sleep 0.2'),
        },
        { name: 'bye', outputs: output('/tmp/status'), container: sh('echo {{workflow.status}} > /tmp/status') },
      ],
      { onExit: 'bye' },
    ),
    phase: 'Succeeded',
    tree: [
      'wf Steps Succeeded',
      'wf.onExit Pod Succeeded',
      'wf[0] StepGroup Succeeded',
      'wf[0].a(0:1) Pod Succeeded',
      'wf[0].a(1:2) Pod Succeeded',
    ],
    values: { 'a(0:1)': '1', 'a(1:2)': '2' },
  },
  {
    why: 'attempts follow until one succeeds',
    document: workflowOf([
      { name: 'main', retryStrategy: { limit: 2 }, container: sh('exit {{= 2 - asInt(retries)}}') },
    ]),
    phase: 'Succeeded',
    tree: [
      'wf Retry Succeeded',
      'wf(0) Pod Failed: main: Error (exit code 2)',
      'wf(1) Pod Failed: main: Error (exit code 1)',
      'wf(2) Pod Succeeded',
    ],
  },
  {
    why: 'init containers and sidecars share volumes with the main container',
    document: workflowOf([
      {
        name: 'main',
        volumes: [{ name: 'v', emptyDir: {} }],
        initContainers: [
          { name: 'i', ...sh('echo init > /mnt/v/x'), volumeMounts: [{ name: 'v', mountPath: '/mnt/v' }] },
        ],
        sidecars: [{ name: 's', ...sh('sleep 300') }],
        outputs: output('/mnt/w/x'),
        container: { ...sh('cat /mnt/w/x'), volumeMounts: [{ name: 'v', mountPath: '/mnt/w' }] },
      },
    ]),
    phase: 'Succeeded',
    tree: ['wf Pod Succeeded'],
  },
  {
    why: 'containers of a set wait for those that they depend on',
    document: workflowOf([
      {
        name: 'main',
        volumes: [{ name: 'v', emptyDir: {} }],
        containerSet: {
          volumeMounts: [{ name: 'v', mountPath: '/work' }],
          containers: [
            { name: 'a', ...sh('sleep 0.2; echo a > /work/a') },
            { name: 'main', ...sh('cat /work/a'), dependencies: ['a'] },
          ],
        },
      },
    ]),
    phase: 'Succeeded',
    tree: ['wf Pod Succeeded', 'wf.a Container Succeeded', 'wf.main Container Succeeded'],
  },
  {
    why: 'a claim of the workflow is a folder that its nodes share',
    document: workflowOf(
      [
        { name: 'main', steps: [[{ name: 'put', template: 'put' }], [{ name: 'get', template: 'get' }]] },
        {
          name: 'put',
          container: { ...sh('echo kept > /mnt/vol/x'), volumeMounts: [{ name: 'w', mountPath: '/mnt/vol' }] },
        },
        {
          name: 'get',
          outputs: output('/mnt/vol/x'),
          container: { ...sh('true'), volumeMounts: [{ name: 'w', mountPath: '/mnt/vol' }] },
        },
      ],
      { volumeClaimTemplates: [{ metadata: { name: 'w' }, spec: {} }] },
    ),
    phase: 'Succeeded',
    tree: [
      'wf Steps Succeeded',
      'wf[0] StepGroup Succeeded',
      'wf[0].put Pod Succeeded',
      'wf[1] StepGroup Succeeded',
      'wf[1].get Pod Succeeded',
    ],
    values: { get: 'kept' },
  },
  {
    why: 'an output that was not written is an error',
    document: workflowOf([{ name: 'main', outputs: output('/tmp/never'), container: sh('true') }]),
    phase: 'Error',
    tree: ['wf Pod Error: wait: Error (exit code 64): open /tmp/never: no such file or directory'],
  },
  {
    why: 'a daemon ends with its template',
    document: workflowOf([
      { name: 'main', steps: [[{ name: 'd', template: 'd' }], [{ name: 'c', template: 'c' }]] },
      { name: 'd', daemon: true, container: sh('exec sleep 300') },
      { name: 'c', container: sh('true') },
    ]),
    phase: 'Succeeded',
    tree: [
      'wf Steps Succeeded',
      'wf[0] StepGroup Succeeded',
      'wf[0].d Pod Succeeded',
      'wf[1] StepGroup Succeeded',
      'wf[1].c Pod Succeeded',
    ],
  },
  {
    why: 'a document that cannot be executed fails',
    document: workflowOf([{ name: 'main', steps: [[{ name: 'a', template: 'nowhere' }]] }]),
    phase: 'Failed',
    tree: [],
  },
];

describe('A workflow that is executed', () => {
  for (const { why, document, phase, tree, values = {} } of rows) {
    it(`ends ${phase}: ${why}`, async () => {
      const workflow = await test.execute(document);
      assert.equal(workflow.status?.['phase'], phase, JSON.stringify(workflow.status));
      assert.deepEqual(treeOf(workflow), tree);
      for (const [name, value] of Object.entries(values)) assert.equal(valueOf(workflow, name), value, name);
      assert.equal(workflow.metadata.labels?.['workflows.argoproj.io/completed'], 'true');
    });
  }

  it('says what is wrong with a document', async () => {
    const workflow = await test.execute(workflowOf([{ name: 'main', steps: [[{ name: 'a', template: 'nowhere' }]] }]));
    assert.match(String(workflow.status?.['message']), /^invalid spec: .*template name 'nowhere' undefined/);
  });

  it('ends with an error that names an image for which nothing runs here', async () => {
    const workflow = await test.execute(workflowOf([{ name: 'main', container: { image: 'nowhere/nothing:1' } }]));
    assert.equal(workflow.status?.['phase'], 'Error');
    assert.match(nodesIn(workflow)[0]?.message ?? '', /nowhere\/nothing:1/);
  });

  it('takes memoized outputs from the cache', async () => {
    const workflow = await test.execute(
      workflowOf([
        { name: 'main', steps: [[{ name: 'a', template: 't' }], [{ name: 'b', template: 't' }]] },
        {
          name: 't',
          memoize: { key: 'k', maxAge: '1h', cache: { configMap: { name: 'results' } } },
          outputs: output('/tmp/o'),
          container: sh('date +%N > /tmp/o'),
        },
      ]),
    );
    assert.equal(valueOf(workflow, 'a'), valueOf(workflow, 'b'));
    assert.notEqual(valueOf(workflow, 'a'), undefined);
  });

  it('keeps the logs of nodes', async () => {
    const workflow = await test.execute(workflowOf([{ name: 'main', container: sh('echo to-be-kept') }]));
    const pod = workflow.metadata.name ?? '';
    const chunks: Uint8Array[] = [];
    const log = await test.workflows.logs.read({ namespace: 'default', pod, container: 'main' });
    for await (const chunk of log ?? []) chunks.push(chunk);
    assert.match(Buffer.concat(chunks).toString(), /^\S+Z to-be-kept\n$/);
  });
});
