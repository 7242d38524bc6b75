// The contract of engines on the genuine Argo Workflows, whose controller runs on our own Kubernetes API.
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { createClient, loadKubeconfig } from '@chandlery/client';
import { silentLogger, systemClock } from '@chandlery/platform';
import { findArgo, tempFolder, whySkipped } from '@chandlery/testing';
import { ArgoAccess } from '../../domains/orders/src/adapters/argo/argo-access.ts';
import { ArgoEngine } from '../../domains/orders/src/adapters/argo/argo-engine.ts';
import { FileNodeLogs } from '../../domains/orders/src/adapters/node-logs/file-node-logs.ts';
import { workflowNamespace } from '../../domains/orders/src/model/documents/order-document.ts';
import { tenant, workflowEngineContract } from '../../domains/orders/src/workflow-engine-contract.ts';
import { startLandscapeWithArgo } from './support/argo-landscape.ts';
import { ArgoRecorder } from './support/record-argo.ts';

const found = await findArgo();
const skip = whySkipped(found);

async function open() {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder());
  const { landscape, argo } = stack.use(await startLandscapeWithArgo(found.path ?? ''));
  await argo.prepare(workflowNamespace(tenant));
  const connect = async (context: string) =>
    stack.use(createClient(loadKubeconfig(await readFile(landscape.kubeconfig, 'utf8'), { context })));
  const access = stack.use(new ArgoAccess({ platform: await connect('platform'), logger: silentLogger }));
  const engine = stack.use(
    new ArgoEngine({
      settings: { cluster: argo.name },
      connect: access.connect,
      logs: new FileNodeLogs(folder.join('logs')),
      clock: systemClock,
      logger: silentLogger,
    }),
  );
  await stack.use(engine.watch(() => undefined)).synced;
  const recorder = stack.use(new ArgoRecorder(await connect(argo.name), engine));
  const all = stack.move();
  return {
    engine: recorder.engine,
    folder: folder.path,
    stepTimeoutMs: 120_000,
    async [Symbol.asyncDispose]() {
      if (process.env['CHANDLERY_UPDATE'] === '1') await recorder.save();
      if (process.env['CHANDLERY_TEST_ARGO_LOG'] !== undefined) console.log(argo.controller.output());
      await all.disposeAsync();
    },
  };
}

if (skip !== false) test('the genuine Argo', { skip }, () => undefined);
else workflowEngineContract('the engine of a genuine Argo', open);
