import { join as joinPath, resolve } from 'node:path';
import type { KubeObject } from '@chandlery/api';
import type { AtomicClient } from '@chandlery/client';
import type { Clock, Logger } from '@chandlery/platform';
import { createInformer, type Informer } from '@chandlery/runtime';
import { createHttpSender } from './adapters/http-sender.ts';
import { FileNodeLogs } from './adapters/node-logs/file-node-logs.ts';
import { PodRunner, type PodRunnerOptions } from './adapters/pod-runner/pod-runner.ts';
import { BlobArtifactStore } from './adapters/workflow-artifacts/blob-artifact-store.ts';
import { startCronController } from './controllers/cron/cron-controller.ts';
import { problemsOf } from './controllers/workflows/problems-of.ts';
import type { WorkflowSettings } from './controllers/workflows/settings.ts';
import { WorkflowController } from './controllers/workflows/workflow-controller.ts';
import { clusterWorkflowTemplatesRef, type WorkflowTemplate, workflowTemplatesRef } from './kinds/workflows/index.ts';
import type { StatusJoin } from './model/workflows/join-workflow.ts';
import { statusOf } from './registry/workflows/node-store.ts';
import {
  createWorkflowRegistry,
  type WorkflowArtifacts,
  type WorkflowRegistry,
} from './registry/workflows/workflow-registry.ts';
import type { ArtifactBytes, NodeLogs, ReadPodLog } from './workflow-ports.ts';

export interface WorkflowsOptions {
  /** Of the platform cluster. Not disposed of. */
  readonly client: AtomicClient;
  /** The join that the kinds were declared with. */
  readonly join: StatusJoin;
  /** Where files of nodes and logs are. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What the controller needs besides, in the process that runs it. */
export interface WorkflowControllerParts {
  readonly readPodLog: ReadPodLog;
  /** Where artifacts go. */
  readonly bytes: ArtifactBytes;
  /** Whether http templates may reach this machine itself. */
  readonly allowsLoopback: boolean;
  /** Further ranges (CIDR) that http templates may reach though they are not public. Default none. */
  readonly allowedRanges?: readonly string[];
  readonly settings?: WorkflowSettings;
  /** Further variables of all containers of a workflow's nodes. Default: none. */
  readonly envOf?: PodRunnerOptions['envOf'];
}

/** Workflows: their status in every replica, and the controller in the one that leads. */
export interface Workflows extends AsyncDisposable {
  readonly registry: WorkflowRegistry;
  /** Logs of nodes whose pods no longer exist. */
  readonly logs: NodeLogs;
  /** The artifacts of all workflows; undefined when stored objects are damaged, so that not all are known. */
  readonly artifacts: WorkflowArtifacts | undefined;
  /** Resolves when workflows are executed: never when stored objects are damaged, until the next start. */
  readonly opened: Promise<void>;
  startControllers(parts: WorkflowControllerParts): Promise<AsyncDisposable>;
}

/** Opens the registry, so that Workflows are shown with their nodes. */
export async function openWorkflows(options: WorkflowsOptions): Promise<Workflows> {
  const { client, clock, logger } = options;
  // Nodes have other working folders than we.
  const folder = resolve(options.folder);
  await using stack = new AsyncDisposableStack();
  const damage = Promise.withResolvers<void>();
  const registry = stack.use(createWorkflowRegistry({ client, clock, logger, onDamage: damage.resolve }));
  const logs = new FileNodeLogs(joinPath(folder, 'logs'));
  const isFilled = await Promise.race([registry.synced.then(() => true), damage.promise.then(() => false)]);
  if (!isFilled) return closedWorkflows({ registry, logs }, logger, stack.move());
  stack.defer(options.join.attach({ statusOf: uid => statusOf(registry, uid) }));
  const all = stack.move();
  return {
    registry,
    logs,
    artifacts: registry.artifacts,
    opened: Promise.resolve(),
    startControllers: parts => startController({ ...options, folder }, { registry, logs }, parts),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

interface Stores {
  readonly registry: WorkflowRegistry;
  readonly logs: NodeLogs;
}

/** Executes nothing: a node that cannot be read would count as one that never ran, and would run again. */
function closedWorkflows(stores: Stores, logger: Logger, stack: AsyncDisposableStack): Workflows {
  logger.error('workflows are not executed: stored objects are damaged', {
    next: 'stop the server, run "chandlery store verify", and restore a backup',
  });
  return {
    ...stores,
    artifacts: undefined,
    opened: Promise.withResolvers<void>().promise,
    startControllers: async () => new AsyncDisposableStack(),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const configMapsRef = { group: '', version: 'v1', plural: 'configmaps' } as const;

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

async function startController(
  { client, clock, logger, folder }: WorkflowsOptions,
  { registry, logs }: Stores,
  parts: WorkflowControllerParts,
): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const templates = stack.use(createInformer<WorkflowTemplate>({ client, ref: workflowTemplatesRef }));
  const clusterTemplates = stack.use(createInformer<WorkflowTemplate>({ client, ref: clusterWorkflowTemplatesRef }));
  const configMaps = stack.use(createInformer<ConfigMap>({ client, ref: configMapsRef }));
  await sync(templates, clusterTemplates, configMaps);
  const artifacts = new BlobArtifactStore(registry, parts.bytes);
  const runners: PodRunner[] = [];
  const readConfigMap = (namespace: string) => (name: string, key: string) =>
    configMaps.get(namespace, name)?.data?.[key];
  const controller = new WorkflowController({
    client,
    registry,
    createRunner: observe => {
      const nodes = joinPath(folder, 'nodes');
      const runner = new PodRunner({
        client,
        folder: nodes,
        artifacts,
        logs,
        readPodLog: parts.readPodLog,
        observe,
        logger,
        ...(parts.envOf && { envOf: parts.envOf }),
      });
      runners.push(runner);
      return runner;
    },
    http: createHttpSender(parts),
    findTemplate: namespace => (name, isClusterScoped) =>
      isClusterScoped ? clusterTemplates.get(undefined, name) : templates.get(namespace, name),
    readConfigMap,
    validate: problemsOf,
    readLimit: lock => limitOf(readConfigMap, lock),
    ...(parts.settings && { settings: parts.settings }),
    clock,
    logger,
  });
  stack.use(controller);
  for (const runner of runners) await runner.open();
  await controller.start();
  stack.use(await startCronController({ client, clock, logger }));
  configMaps.listen({ updated: () => controller.refreshLocks(), added: () => controller.refreshLocks() });
  const all = stack.move();
  return { [Symbol.asyncDispose]: () => all.disposeAsync() };
}

async function sync(...informers: readonly Pick<Informer, 'start' | 'synced'>[]): Promise<void> {
  for (const informer of informers) informer.start();
  await Promise.all(informers.map(({ synced }) => synced));
}

/** The limit of a semaphore: `<namespace>/ConfigMap/<name>/<key>`. */
function limitOf(
  readConfigMap: (namespace: string) => (name: string, key: string) => string | undefined,
  lock: string,
): number | undefined {
  const [namespace = '', , name = '', key = ''] = lock.split('/');
  const text = readConfigMap(namespace)(name, key);
  const limit = Number(text);
  return text === undefined || !Number.isInteger(limit) ? undefined : limit;
}
