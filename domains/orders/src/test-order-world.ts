import assert from 'node:assert/strict';
import type { KubeObject } from '@chandlery/api';
import type { AtomicClient } from '@chandlery/client';
import { KeyedMutex, silentLogger, systemClock } from '@chandlery/platform';
import { eventually, startTestPlane, type TestPlane, tempFolder } from '@chandlery/testing';
import type { ActionDeps } from './actions/action-deps.ts';
import { createOrder, type NewOrder } from './actions/orders/create-order.ts';
import type { OrderDeps } from './actions/orders/order-deps.ts';
import { createOrdersActions } from './actions/orders-actions.ts';
import { TenantBudget } from './actions/tenant-budget.ts';
import { FileBlobStore } from './adapters/blobs/file-blob-store.ts';
import { UploadFolder } from './adapters/blobs/upload-folder.ts';
import { DataProxy } from './adapters/data-proxy/data-proxy.ts';
import { createFetchExternal } from './adapters/data-proxy/fetch-external.ts';
import { HttpJobSender } from './adapters/hosting/http-job-sender.ts';
import { PodProcesses } from './adapters/hosting/pod-processes.ts';
import { EmbeddedEngine } from './adapters/kube-workflows/embedded-engine.ts';
import { KubeWorkflowStore } from './adapters/kube-workflows/kube-workflow-store.ts';
import { startOrderController } from './controllers/orders/start-order-controller.ts';
import { ordersKinds } from './kinds/index.ts';
import { workflowKinds, workflowsRef } from './kinds/workflows/index.ts';
import { workflowNamespace } from './model/documents/order-document.ts';
import { defaultProfile } from './model/documents/plan.ts';
import { defaultSettings } from './model/tenant-limits.ts';
import { StatusJoin } from './model/workflows/join-workflow.ts';
import { builtInModels, ModelRegistry } from './models/index.ts';
import type { WorkflowEngine } from './order-ports.ts';
import { createOrdersRegistry, createRow, type OrderRow, type ServiceRow } from './registry/orders-registry.ts';
import { TenantUsage } from './registry/tenant-usage.ts';

/** Orders on a plane of its own, with the real controller and data proxy. The test plays the engine. */
export interface OrderWorld extends AsyncDisposable {
  readonly deps: OrderDeps;
  readonly platform: AtomicClient;
  readonly onboarding: AtomicClient;
  readonly actions: ReturnType<typeof createOrdersActions>;
  service(parameters?: ServiceRow['spec']['parameters']): Promise<ServiceRow>;
  order(fields?: Partial<NewOrder>): Promise<OrderRow>;
  /** Waits for the Workflow of an order, or of one run. */
  workflow(order: OrderRow, run?: number): Promise<KubeObject>;
  /** Gives a Workflow a status, as an engine does. */
  setStatus(order: OrderRow, status: object, run?: number): Promise<void>;
  /** Waits until an order has a status. */
  until(order: OrderRow, status: string): Promise<OrderRow>;
}

export const tenant = 'default';
const actor = { username: 'tester', tenant };

/** Returns the engine that orders go to, in place of the embedded one alone. */
export type OpenEngine = (parts: {
  readonly embedded: WorkflowEngine;
  readonly plane: TestPlane;
  readonly stack: AsyncDisposableStack;
}) => Promise<WorkflowEngine>;

/** Starts one: `await using world = await startOrderWorld()`. */
export async function startOrderWorld(openEngine: OpenEngine = async ({ embedded }) => embedded): Promise<OrderWorld> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder());
  const kinds = [...Object.values(ordersKinds).map(kind => kind.declaration), ...workflowKinds(new StatusJoin())];
  const plane = stack.use(await startTestPlane({ kinds }));
  const platform = plane.connect('platform');
  const registry = stack.use(createOrdersRegistry({ client: plane.client }));
  await registry.synced;
  const usage = stack.use(new TenantUsage(registry));
  const base: ActionDeps = {
    registry,
    usage,
    budget: new TenantBudget(usage, defaultSettings),
    blobs: new FileBlobStore(folder.join('blobs')),
    uploads: new UploadFolder(folder.join('uploads')),
    blobLocks: new KeyedMutex(),
    recordLocks: new KeyedMutex(),
    settings: defaultSettings,
    clock: systemClock,
    logger: silentLogger,
  };
  const dataProxy = stack.use(await DataProxy.open(folder.join('proxy')));
  const models = new ModelRegistry(builtInModels);
  const embedded = new EmbeddedEngine({ ...base, platform, readContainerLog: async () => undefined });
  const deps: OrderDeps = {
    ...base,
    models,
    workflows: await openEngine({ embedded, plane, stack }),
    dataProxy,
    profile: defaultProfile,
  };
  const actions = createOrdersActions(base, { verifyService: async () => undefined });
  dataProxy.serve({ ...base, actions, fetchExternal: createFetchExternal({ allowLoopback: false }) });
  const onError = (error: Error): void => assert.fail(error);
  const processes = stack.use(new PodProcesses({ client: platform, onError }));
  const jobSender = stack.use(new HttpJobSender());
  stack.use(startOrderController({ ...deps, processes, jobSender }));
  const all = stack.move();
  return {
    ...toolsOf(deps, platform),
    deps,
    platform,
    onboarding: plane.client,
    actions,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

function toolsOf(
  deps: OrderDeps,
  platform: AtomicClient,
): Pick<OrderWorld, 'service' | 'order' | 'workflow' | 'setStatus' | 'until'> {
  const { registry } = deps;
  const refOf = ({ id, tenant: owner }: OrderRow, run?: number) => ({
    ...workflowsRef,
    namespace: workflowNamespace(owner),
    name: run === undefined ? `order-${id}` : `order-${id}-${run}`,
  });
  const service: OrderWorld['service'] = async (parameters = []) => {
    const id = registry.newId();
    const controller = { $schema: 'urn:ivcap:schema:service.basic.1', image: 'a', command: ['true'] };
    await registry.commit([createRow({ table: 'services', id, tenant, spec: { parameters, controller } })]);
    return registry.services.get(id) ?? assert.fail();
  };
  const workflow: OrderWorld['workflow'] = async (order, run) => {
    let found: KubeObject | undefined;
    await eventually(
      async () => {
        found = await deps.workflows.get(refOf(order, run));
        return found !== undefined;
      },
      { what: 'the Workflow is there' },
    );
    return found ?? assert.fail();
  };
  return {
    service,
    workflow,
    order: async (fields = {}) =>
      createOrder(deps, actor, { parameters: [], ...fields, service: fields.service ?? (await service()) }),
    setStatus: async (order, status, run) => {
      await workflow(order, run);
      await new KubeWorkflowStore(platform).edit(refOf(order, run), found => ({ ...found, status: { ...status } }));
    },
    until: async (order, status) => {
      const isSuch = (row: OrderRow | undefined): boolean => row?.status.status === status;
      const signal = AbortSignal.timeout(10_000);
      return (await registry.orders.until(order.id, isSuch, signal)) ?? assert.fail();
    },
  };
}
