import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { silentLogger, systemClock } from '@chandlery/platform';
import { eventually, tempFolder } from '@chandlery/testing';
import { workflowLabels, workflowsRef } from '../../kinds/workflows/index.ts';
import type { ArgoSettings } from '../../model/argo/argo-settings.ts';
import { isCompleted } from '../../model/documents/observe-workflow.ts';
import { caseDocument, engineCases } from '../../test-engine-cases.ts';
import { submit, tenant, workflowEngineContract } from '../../workflow-engine-contract.ts';
import { FileNodeLogs } from '../node-logs/file-node-logs.ts';
import { ArgoEngine } from './argo-engine.ts';
import { type RecordedArgoOptions, startRecordedArgo } from './test-recorded-argo.ts';

async function open(options: RecordedArgoOptions = {}, settings: Partial<ArgoSettings> = {}) {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder());
  const argo = stack.use(await startRecordedArgo(options));
  const engine = stack.use(
    new ArgoEngine({
      settings: { cluster: 'argo', ...settings },
      connect: async () => argo.cluster,
      logs: new FileNodeLogs(folder.join('logs')),
      clock: systemClock,
      logger: silentLogger,
    }),
  );
  await stack.use(engine.watch(() => undefined)).synced;
  const all = stack.move();
  return { ...argo, engine, folder: folder.path, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

workflowEngineContract('the engine of a recorded Argo', open);
workflowEngineContract('the engine of a recorded Argo with compressed nodes', () => open({ nodes: 'compressed' }));

describe('The engine of an Argo', () => {
  it('labels Workflows for the controller, and gives pods their accounts', async () => {
    const settings = { instanceId: 'blue', namespace: 'flows', serviceAccount: 'work', executorServiceAccount: 'exec' };
    await using tested = await open({}, settings);
    const { address } = await submit(tested, engineCases.twice);
    assert.equal(address.namespace, 'flows');
    const { metadata, spec } = await tested.client.get({ ...workflowsRef, ...address });
    assert.equal(metadata.labels?.[workflowLabels.instanceId], 'blue');
    const { serviceAccountName, executor, automountServiceAccountToken } = spec as Record<string, unknown>;
    assert.deepEqual(
      [serviceAccountName, executor, automountServiceAccountToken],
      ['work', { serviceAccountName: 'exec' }, false],
    );
  });

  it('does not take values that Argo would replace, nor documents that its cluster cannot store', async () => {
    await using tested = await open();
    const document = caseDocument(engineCases.twice, 'x', '');
    const withValue = (value: string) => ({
      ...document,
      spec: { ...document.spec, arguments: { parameters: [{ name: 'p', value }] } },
    });
    await assert.rejects(tested.engine.submit(withValue('{{workflow.name}}'), tenant), { code: 'Orders:invalid' });
    await assert.rejects(tested.engine.submit(withValue('x'.repeat(2 ** 21)), tenant), { code: 'Orders:too-large' });
  });

  it('says that it needs the server for nodes in the database of Argo', async () => {
    await using tested = await open({ nodes: 'offloaded' });
    const { address } = await submit(tested, engineCases.twice);
    await eventually(() => tested.engine.get(address).then(() => false, isOffloadError), { what: 'offloaded nodes' });
    await assert.rejects(tested.engine.retry(address, {}), { code: 'NodesOffloaded' });
  });

  it('asks the server for nodes in the database of Argo, and to check documents', async () => {
    await using server = await startServer();
    await using tested = await open({ nodes: 'offloaded' }, { server: { url: server.url, token: 'secret' } });
    const run = await submit(tested, engineCases.twice);
    const ended = await run.until(isCompleted, 'it has ended');
    assert.deepEqual(ended['status'], server.workflow.status);
    await tested.engine.retry(run.address, { parameters: { a: 'b' } });
    await assert.rejects(submit(tested, engineCases.invalid), { code: 'Orders:invalid', message: /undefined/ });
    const outputs = { selector: undefined, parameters: { x: 'y' } };
    await assert.rejects(tested.engine.setOutputs(run.address, outputs), { code: 'Orders:invalid' });
    const path = `/api/v1/workflows/${run.address.namespace}`;
    assert.ok(server.calls.includes(`POST ${path}/lint Bearer secret`));
    assert.ok(server.calls.includes(`PUT ${path}/${run.name}/retry Bearer secret`));
  });

  it('rejects with the reason while its cluster cannot be reached, and connects later', async () => {
    await using argo = await startRecordedArgo();
    await using folder = await tempFolder();
    let attempts = 0;
    await using engine = new ArgoEngine({
      settings: { cluster: 'far' },
      connect: async () => (++attempts === 1 ? Promise.reject(new Error('no route')) : argo.cluster),
      logs: new FileNodeLogs(folder.path),
      clock: systemClock,
      logger: silentLogger,
    });
    const address = { namespace: 'x', name: 'y' };
    const message = 'no access to cluster "far": no route';
    await assert.rejects(engine.get(address), { code: 'ConnectionFailed', message });
    assert.equal(await engine.get(address), undefined);
  });
});

const isOffloadError = (error: { readonly code?: string }): boolean => error.code === 'NodesOffloaded';

/** The paths of an Argo server that the engine uses. */
async function startServer() {
  const calls: string[] = [];
  const workflow = {
    metadata: { name: 'x' },
    status: { phase: 'Succeeded', nodes: { x: { id: 'x', phase: 'Succeeded' } } },
  };
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    calls.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    const body = await text(request);
    if (request.url?.endsWith('/set') === true) {
      response.writeHead(500, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ code: 13, message: "node is not expecting output parameter 'x'" }));
      return;
    }
    const isInvalid = request.url?.endsWith('/lint') === true && body.includes('missing');
    const invalid = { code: 3, message: "templates.main.steps[0].a template name 'missing' undefined" };
    response.writeHead(isInvalid ? 400 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isInvalid ? invalid : workflow));
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    workflow,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
