import type { KubeObject } from '@chandlery/api';
import type { AtomicClient } from '@chandlery/client';
import { createProcessNode, startWorkloads } from '@chandlery/clusters';
import { KeyedMutex, type Logger, silentLogger, systemClock } from '@chandlery/platform';
import { eventually, startTestPlane, tempFolder } from '@chandlery/testing';
import { parse } from 'yaml';
import { FileBlobStore } from './adapters/blobs/file-blob-store.ts';
import { type Workflow, workflowKinds, workflowsCluster, workflowsRef } from './kinds/workflows/index.ts';
import { StatusJoin } from './model/workflows/join-workflow.ts';
import { openWorkflows, type Workflows } from './open-workflows.ts';
import type { ReadContainerLog } from './order-ports.ts';
import type { ArtifactBytes } from './workflow-ports.ts';

/** A platform cluster in this process that executes workflows, with pods as processes of this machine. */
export interface TestWorkflows extends AsyncDisposable {
  readonly client: AtomicClient;
  readonly workflows: Workflows;
  /** Where artifacts are. Nothing limits them. */
  readonly bytes: ArtifactBytes;
  /** Creates a Workflow of a YAML document, and returns its name. */
  submit(document: string): Promise<string>;
  read(name: string): Promise<Workflow>;
  /** Waits until a Workflow is as wanted. */
  until(name: string, isWanted: (workflow: Workflow) => boolean): Promise<Workflow>;
  /** Executes a document to its end. */
  execute(document: string): Promise<Workflow>;
  /** Reads what a container printed, also after its pod is deleted. */
  readonly readLog: ReadContainerLog;
  /** Stops the controller and starts it again, with everything in memory lost. */
  restartController(): Promise<void>;
}

const namespace = 'default';
const completed = new Set(['Succeeded', 'Failed', 'Error']);

/** Starts one: `await using test = await startTestWorkflows()`. */
export async function startTestWorkflows(logger: Logger = silentLogger): Promise<TestWorkflows> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder('chandlery-workflows-'));
  const join = new StatusJoin();
  const plane = stack.use(await startTestPlane({ kinds: workflowKinds(join) }));
  const client = plane.connect(workflowsCluster);
  const node = stack.use(createProcessNode({ folder: folder.join('node'), logger }));
  const api = { server: 'https://127.0.0.1:1/clusters/platform', caPem: '' };
  stack.use(startWorkloads({ client, node, clusterName: workflowsCluster, api, logger }));
  const options = { client, join, folder: folder.join('workflows'), clock: systemClock, logger };
  const workflows = stack.use(await openWorkflows(options));
  const bytes: ArtifactBytes = {
    blobs: new FileBlobStore(folder.join('blobs')),
    blobLocks: new KeyedMutex(),
    maxBytes: Number.MAX_SAFE_INTEGER,
    reserve: () => ({ grow: () => undefined, [Symbol.dispose]: () => undefined }),
  };
  const startController = () =>
    workflows.startControllers({
      readPodLog: async ({ pod, ...request }) => node.readLog({ ...request, uid: pod.metadata.uid ?? '' }),
      allowsLoopback: true,
      bytes,
    });
  let controller = await startController();
  stack.defer(() => controller[Symbol.asyncDispose]());
  const read = (name: string): Promise<Workflow> => client.get<Workflow>({ ...workflowsRef, namespace, name });
  const submit = async (document: string): Promise<string> =>
    (await client.create({ ...workflowsRef, namespace }, parse(document) as KubeObject)).metadata.name ?? '';
  const until: TestWorkflows['until'] = async (name, isWanted) => {
    let last: Workflow | undefined;
    try {
      await eventually(
        async () => {
          last = await read(name);
          return isWanted(last);
        },
        { what: `workflow ${name}`, timeoutMs: 30_000 },
      );
    } catch (error) {
      throw new Error(`workflow ${name} is ${JSON.stringify(last?.status, null, 1)}`, { cause: error });
    }
    return last as Workflow;
  };
  const all = stack.move();
  return {
    client,
    workflows,
    bytes,
    submit,
    read,
    until,
    execute: async document => until(await submit(document), ({ status }) => completed.has(String(status?.['phase']))),
    readLog: async query => {
      const stored = await workflows.logs.read(query);
      if (stored !== undefined) return stored;
      const ref = { group: '', version: 'v1', plural: 'pods', namespace: query.namespace, name: query.pod };
      const { metadata } = await client.get(ref);
      return node.readLog({ uid: metadata.uid ?? '', container: query.container, timestamps: true });
    },
    restartController: async () => {
      await controller[Symbol.asyncDispose]();
      controller = await startController();
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

interface SeenNode {
  readonly name: string;
  readonly displayName: string;
  readonly type: string;
  readonly phase: string;
  readonly message?: string;
  readonly outputs?: Readonly<Record<string, unknown>>;
}

/** The nodes of a Workflow. */
export const nodesIn = ({ status }: Workflow): readonly SeenNode[] =>
  Object.values((status?.['nodes'] ?? {}) as Readonly<Record<string, SeenNode>>);

/** The nodes as lines `name type phase: message`, with `wf` for the name of the workflow. */
export const treeOf = (workflow: Workflow): readonly string[] =>
  nodesIn(workflow)
    .map(
      ({ name, type, phase, message }) =>
        `${name.replace(workflow.metadata.name ?? '', 'wf')} ${type} ${phase}${message ? `: ${message}` : ''}`,
    )
    .sort();

/** The outputs of a node, found by its display name. */
export const outputsOf = (workflow: Workflow, displayName: string): SeenNode['outputs'] =>
  nodesIn(workflow).find(node => node.displayName === displayName)?.outputs;
