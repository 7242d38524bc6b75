import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock, test } from 'node:test';
import { SharedLocks } from './locks/shared-locks.ts';
import { runWorkflow } from './run-workflow.ts';
import { MemoryRunner } from './runner/memory-runner.ts';

test('real processes: a dag with retries, an exit handler and private paths for each item', async () => {
  const { status, nodes } = await runWorkflow(`
metadata: {name: real}
spec:
  entrypoint: main
  onExit: bye
  templates:
  - name: main
    dag:
      tasks:
      - {name: make, template: make, withSequence: {count: 5}, arguments: {parameters: [{name: n, value: "{{item}}"}]}}
      - {name: flaky, template: flaky}
      - {name: sum, depends: make && flaky, template: sum, arguments: {parameters: [{name: all, value: "{{tasks.make.outputs.parameters.n}}"}]}}
    outputs: {parameters: [{name: all, valueFrom: {parameter: "{{tasks.sum.outputs.result}}"}}]}
  - name: make
    inputs: {parameters: [{name: n}]}
    container: {image: alpine:3.7, command: [sh, -c], args: ["sleep 0.05; echo {{inputs.parameters.n}} > /tmp/value"]}
    outputs: {parameters: [{name: n, valueFrom: {path: /tmp/value}}]}
  - name: flaky
    retryStrategy: {limit: 3}
    container: {image: alpine:3.7, command: [sh, -c, "exit {{=asInt(retries) < 2 ? 1 : 0}}"]}
  - name: sum
    inputs: {parameters: [{name: all}]}
    script: {image: alpine:3.7, command: [sh], source: "echo '{{inputs.parameters.all}}'"}
  - name: bye
    container: {image: alpine:3.7, command: [sh, -c, "test {{workflow.status}} = Succeeded"]}
`);
  assert.equal(status.phase, 'Succeeded', JSON.stringify(nodes.map(({ name, message }) => [name, message])));
  const [all] = nodes.find(({ name }) => name === 'real')?.outputs?.parameters ?? [];
  assert.equal(all?.value, '["0","1","2","3","4"]');
  assert.equal(status.progress, '8/10');
});

test('a signal stops the workflow, and its processes', async () => {
  const stop = new AbortController();
  const { status } = await runWorkflow(
    {
      metadata: { name: 'stopped' },
      spec: { entrypoint: 'main', templates: [{ name: 'main', container: { image: 'x', command: ['sleep', '60'] } }] },
    },
    {
      signal: stop.signal,
      onStep: ({ changed }) => {
        if (changed.some(({ node }) => node.phase === 'Running')) stop.abort();
      },
    },
  );
  assert.deepEqual([status.phase, status.message], ['Failed', "Stopped with strategy 'Stop'"]);
});

test('workflows share locks, also when one of them waits as a whole', async () => {
  const locks = new SharedLocks();
  let running = 0;
  let most = 0;
  const runner = new MemoryRunner(() => {
    most = Math.max(most, ++running);
    running--;
    return { exitCode: 0 };
  });
  const document = (name: string) => ({
    metadata: { name },
    spec: {
      entrypoint: 'main',
      synchronization: { mutexes: [{ name: 'one' }] },
      templates: [{ name: 'main', container: { image: 'x' } }],
    },
  });
  const runs = await Promise.all(['a', 'b', 'c'].map(name => runWorkflow(document(name), { runner, locks })));
  assert.deepEqual(
    runs.map(({ status }) => status.phase),
    ['Succeeded', 'Succeeded', 'Succeeded'],
  );
  assert.equal(most, 1);
});

test('suspended for a second, then a request: the clock and the network of this process', async () => {
  const server = createServer((_request, response) => response.writeHead(201).end('made'));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { status } = await runWorkflow({
    metadata: { name: 'http' },
    spec: {
      entrypoint: 'main',
      templates: [
        {
          name: 'main',
          steps: [[{ name: 'wait', template: 'wait' }], [{ name: 'get', template: 'get' }]],
          outputs: {
            parameters: [{ name: 'body', globalName: 'body', valueFrom: { expression: 'steps.get.outputs.result' } }],
          },
        },
        { name: 'wait', suspend: { duration: '1' } },
        { name: 'get', http: { url: `http://127.0.0.1:${port}/`, successCondition: 'response.statusCode == 201' } },
      ],
    },
  });
  server.close();
  assert.deepEqual(status.outputs?.parameters, [{ name: 'body', value: 'made' }]);
});

test('a document that is invalid fails before anything runs', async () => {
  const { status, nodes } = await runWorkflow({ metadata: { name: 'x' }, spec: { entrypoint: 'none', templates: [] } });
  assert.equal(status.phase, 'Failed');
  assert.match(status.message ?? '', /^invalid spec: .*template name 'none' undefined/);
  assert.deepEqual(nodes, []);
});

test('a name that is generated is cut to the length of a label', async () => {
  const generateName = 'a-name-that-is-longer-than-a-label-of-kubernetes-may-be-at-most-';
  const template = { name: 'main', container: { image: 'x', command: ['true'] } };
  const { status, nodes } = await runWorkflow({
    metadata: { generateName },
    spec: { entrypoint: 'main', templates: [template] },
  });
  assert.deepEqual([status.phase, nodes[0]?.name.length], ['Succeeded', 63]);
});

test('a workflow that cannot begin ends with the reason, and does not throw', async () => {
  const template = { name: 'main', container: { image: 'x', command: ['true'] } };
  const valueFrom = { configMapKeyRef: { name: 'settings', key: 'a' } };
  const document = {
    metadata: { name: 'x' },
    spec: { entrypoint: 'main', arguments: { parameters: [{ name: 'p', valueFrom }] }, templates: [template] },
  };
  const { status } = await runWorkflow(document);
  assert.equal(status.phase, 'Failed');
  assert.match(
    status.message ?? '',
    /^failed to set global parameters: failed to set global parameter p from configmap with name settings and key a: ConfigMap 'settings' does not exist/,
  );
  const found = await runWorkflow(document, { readConfigMap: (name, key) => `${name}/${key}` });
  assert.equal(found.status.phase, 'Succeeded');
  const lost = await runWorkflow({ metadata: { name: 'x' }, spec: { workflowTemplateRef: { name: 'none' } } });
  assert.deepEqual(
    [lost.status.phase, lost.status.message, lost.nodes],
    ['Error', 'workflowtemplates.argoproj.io "none" not found', []],
  );
});

test('an emptyDir of the workflow is empty in each pod, other volumes are shared', async () => {
  const mounts = 'volumeMounts: [{name: scratch, mountPath: /scratch}, {name: data, mountPath: /data}]';
  const { status, nodes } = await runWorkflow(`
metadata: {name: volumes}
spec:
  entrypoint: main
  volumes: [{name: scratch, emptyDir: {}}]
  volumeClaimTemplates: [{metadata: {name: data}}]
  templates:
  - name: main
    steps: [[{name: a, template: touch}], [{name: b, template: test}]]
  - name: touch
    container: {image: x, command: [sh, -c, "touch /scratch/x /data/x"], ${mounts}}
  - name: test
    container: {image: x, command: [sh, -c, "test ! -e /scratch/x && test -e /data/x"], ${mounts}}
`);
  assert.equal(status.phase, 'Succeeded', JSON.stringify(nodes.map(({ name, message }) => [name, message])));
});

test('a timer that fires early does not lose the end of a suspension', { timeout: 20_000 }, async () => {
  const { setTimeout: original } = globalThis;
  const early = (work: () => void, delayMs = 0) => original(work, Math.max(0, delayMs - 30));
  const timers = mock.method(globalThis, 'setTimeout', early as never);
  try {
    const { status } = await runWorkflow({
      metadata: { name: 'early' },
      spec: { entrypoint: 'wait', templates: [{ name: 'wait', suspend: { duration: '200ms' } }] },
    });
    assert.equal(status.phase, 'Succeeded');
  } finally {
    timers.mock.restore();
  }
});
