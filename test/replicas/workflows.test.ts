import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { eventually, type TestLandscape, tempFolder } from '@chandlery/testing';
import { parse } from 'yaml';
import {
  nodesOf,
  readStarts,
  readWorkflow,
  submitWorkflow,
  untilCompleted,
} from '../durability/support/crash-workflows.ts';
import { leaderAmong, startReplicas } from './start-replicas.ts';

/** Longer than a lease takes to expire. */
const timeoutMs = 120_000;

/** The first step makes an artifact, the second runs when the server is killed, the third reads the artifact. */
const documentOf = (starts: string): object =>
  parse(`
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: moved}
spec:
  entrypoint: main
  templates:
  - name: main
    steps:
    - [{name: make, template: make}]
    - [{name: wait, template: wait}]
    - [{name: read, template: read, arguments: {artifacts: [{name: made, from: '{{steps.make.outputs.artifacts.made}}'}]}}]
  - name: make
    container: {image: x, command: [sh, -c], args: ['echo "$ARGO_NODE_ID" >> ${starts}; echo content > /tmp/made']}
    outputs: {artifacts: [{name: made, path: /tmp/made}]}
  - name: wait
    retryStrategy: {limit: 5, retryPolicy: OnError}
    container: {image: x, command: [sh, -c], args: ['echo "$ARGO_NODE_ID" >> ${starts}; test {{retries}} -ge 1 || sleep 300']}
  - name: read
    retryStrategy: {limit: 5, retryPolicy: OnError}
    inputs: {artifacts: [{name: made, path: /tmp/read}]}
    container: {image: x, command: [sh, -c], args: ['echo "$ARGO_NODE_ID" >> ${starts}; grep -q content /tmp/read']}
`) as object;

/** Orders a service that sleeps until the leader is killed, and returns the path of the order. */
async function placeOrder(landscape: TestLandscape, marker: string): Promise<string> {
  const script = `test -e ${marker} || { touch ${marker}; sleep 300; }; echo done`;
  const controller = { $schema: 'urn:ivcap:schema:service.basic.1', image: 'x', command: ['sh', '-c', script] };
  const body = { name: 'moved', description: 'x', parameters: [], controller };
  const service = (await landscape.request('/1/services2', { body })).json<{ id: string }>().id;
  const order = await landscape.request('/1/orders', { body: { service, parameters: [] } });
  return `/1/orders/${order.json<{ id: string }>().id}`;
}

test('workflows and orders are executed by one replica, and continued by another when that is killed', async () => {
  await using folder = await tempFolder();
  await using replicas = await startReplicas(2);
  const second = replicas.all[1] as TestLandscape;
  const starts = folder.join('starts');
  await submitWorkflow(second, documentOf(starts));
  const marker = folder.join('marker');
  const order = await placeOrder(second, marker);
  const statusOf = async (landscape: TestLandscape): Promise<string> =>
    (await landscape.request(order)).json<{ status: string }>().status;
  await eventually(async () => (await readStarts(starts)).length === 2 && existsSync(marker), {
    what: 'the second step and the order to run',
    timeoutMs,
  });
  const running = nodesOf(await readWorkflow(second, 'moved')).filter(({ phase }) => phase === 'Succeeded');
  assert.ok(
    running.some(({ name }) => name.endsWith('.make')),
    'the other replica shows what happened',
  );

  const { leader, other } = await leaderAmong(replicas.all);
  await leader.kill9();

  const workflow = await untilCompleted(other, 'moved', timeoutMs);
  assert.equal(workflow.status?.phase, 'Succeeded', JSON.stringify(workflow.status));
  const ids = await readStarts(starts);
  assert.equal(new Set(ids).size, ids.length, `a node ran twice: ${ids.join(' ')}`);
  // Containers of orders are retried when they are lost.
  await eventually(async () => (await statusOf(other)) === 'succeeded', { what: 'the order to succeed', timeoutMs });
});
