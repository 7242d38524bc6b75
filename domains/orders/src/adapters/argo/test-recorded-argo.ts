import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { ChandleryError, isError, type KubeObject } from '@chandlery/api';
import type { AtomicClient, Client } from '@chandlery/client';
import { eventually, startTestPlane } from '@chandlery/testing';
import { workflowLabels, workflowsRef } from '../../kinds/workflows/index.ts';
import { orderLabels } from '../../model/documents/order-document.ts';
import { podsOf } from '../../model/documents/order-pods.ts';
import { nodesOf } from '../../model/documents/workflow-nodes.ts';
import type { ArgoCluster, ContainerRef } from '../../order-ports.ts';

/** A state of a Workflow as the genuine controller wrote it. */
export interface RecordedState {
  /** How many changes of clients came before. */
  readonly changes: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly status: Readonly<Record<string, unknown>>;
}

/** What the genuine controller did with a document of the contract suite. */
export interface Recording {
  readonly states: readonly RecordedState[];
  /** Lines with times, by `<pod>/<container>`. */
  readonly logs: Readonly<Record<string, string>>;
}

/** By UUID of the order. */
export type Recordings = Readonly<Record<string, Recording>>;

/** Where the recordings are; `CHANDLERY_UPDATE=1 npm test -- peers/argo` writes them again. */
export const recordingsFile = new URL('recorded-argo.json', import.meta.url);

export interface RecordedArgoOptions {
  /** How states are shown. Default `plain`. */
  readonly nodes?: 'plain' | 'compressed' | 'offloaded';
}

/** A cluster on our own Kubernetes API whose controller does what the genuine Argo did. */
export interface RecordedArgo extends AsyncDisposable {
  readonly client: AtomicClient;
  readonly cluster: ArgoCluster;
}

const crd: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'workflows.argoproj.io' },
  spec: {
    group: workflowsRef.group,
    scope: 'Namespaced',
    names: { kind: 'Workflow', listKind: 'WorkflowList', plural: 'workflows', singular: 'workflow' },
    versions: [
      {
        name: workflowsRef.version,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** Declares the kind Workflow on a cluster, as an installation of Argo does. */
export async function installWorkflows(client: Client): Promise<void> {
  await client.create({ group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' }, crd);
  await eventually(async () => (await client.list(workflowsRef)).items.length === 0, { what: 'the kind Workflow' });
}

/** Starts one: `await using argo = await startRecordedArgo()`. */
export async function startRecordedArgo({ nodes = 'plain' }: RecordedArgoOptions = {}): Promise<RecordedArgo> {
  await using stack = new AsyncDisposableStack();
  const plane = stack.use(await startTestPlane({ clusters: ['argo'] }));
  const client = plane.connect('argo');
  await installWorkflows(client);
  const recordings = JSON.parse(await readFile(recordingsFile, 'utf8')) as Recordings;
  const followed = new Set<string>();
  const readLog: ArgoCluster['readLog'] = async (container, { isFollowed }) => {
    await client.get({ ...podsRef, namespace: container.namespace, name: container.pod });
    if (isFollowed) followed.add(keyOf(container));
    return logOf(recordings, container);
  };
  stack.use(startReplay({ client, recordings, nodes, isFollowed: key => followed.has(key) }));
  const all = stack.move();
  return { client, cluster: { client, readLog }, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

const podsRef = { group: '', version: 'v1', plural: 'pods' } as const;
const keyOf = ({ pod, container }: Pick<ContainerRef, 'pod' | 'container'>): string => `${pod}/${container}`;

async function* logOf(recordings: Recordings, container: ContainerRef): AsyncGenerator<Uint8Array> {
  const found = Object.values(recordings).find(({ logs }) => logs[keyOf(container)] !== undefined);
  yield Buffer.from(found?.logs[keyOf(container)] ?? '');
}

interface Replay {
  readonly client: AtomicClient;
  readonly recordings: Recordings;
  readonly nodes: NonNullable<RecordedArgoOptions['nodes']>;
  /** Whether a client has read the log of `<pod>/<container>` to its end. */
  readonly isFollowed: (key: string) => boolean;
  readonly signal: AbortSignal;
}

/** How far the replay of one Workflow is. */
interface Progress {
  next: number;
  changes: number;
  readonly own: Set<string>;
}

/** Moves each Workflow through its recorded states; those that followed a change of a client wait for it. */
function startReplay(options: Omit<Replay, 'signal'>): AsyncDisposable {
  const { client, recordings } = options;
  const stopping = new AbortController();
  const replay = { ...options, signal: stopping.signal };
  const known = new Map<string, Progress>();
  const work = (async () => {
    for await (const { type, object } of client.watch(workflowsRef, { signal: stopping.signal })) {
      const recording = recordings[object.metadata.labels?.[orderLabels.order] ?? ''];
      if (recording === undefined || type === 'BOOKMARK' || type === 'DELETED') continue;
      const { uid = '', resourceVersion = '' } = object.metadata;
      const progress = known.get(uid) ?? { next: 0, changes: -1, own: new Set() };
      known.set(uid, progress);
      if (!progress.own.has(resourceVersion)) progress.changes++;
      await advance(replay, object, recording, progress);
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await work;
    },
  };
}

/** Writes the next state, if its time has come. The watch shows it, and so comes the one after it. */
async function advance(replay: Replay, seen: KubeObject, recording: Recording, progress: Progress): Promise<void> {
  const state = recording.states[progress.next];
  if (state === undefined || state.changes > progress.changes) return;
  const { client } = replay;
  const { namespace = '', name = '' } = seen.metadata;
  const ref = { ...workflowsRef, namespace, name };
  try {
    const labels = { ...seen.metadata.labels, ...state.labels };
    const shown = { ...seen, metadata: { ...seen.metadata, labels }, status: { ...state.status } };
    await showPods(replay, shown, recording);
    const written = await client.update(ref, { ...shown, status: pack(state.status, replay.nodes) });
    progress.own.add(written.metadata.resourceVersion ?? '');
    progress.next++;
    const isUnchanged = written.metadata.resourceVersion === seen.metadata.resourceVersion;
    if (state.labels[workflowLabels.completed] === 'true') await removePods(replay, shown, recording);
    // The watch shows changes only.
    if (isUnchanged) await advance(replay, written, recording, progress);
  } catch (error) {
    // A concurrent write won: the watch shows the current state.
    if (!isError(error, 'Conflict', 'NotFound')) throw error;
  }
}

function pack({ nodes, ...status }: RecordedState['status'], form: Replay['nodes']): RecordedState['status'] {
  if (nodes === undefined || form === 'plain') return { ...status, ...(nodes !== undefined && { nodes }) };
  if (form === 'offloaded') return { ...status, offloadNodeStatusVersion: 'fnv:1' };
  return { ...status, compressedNodes: gzipSync(JSON.stringify(nodes)).toString('base64') };
}

/** Pods are there while their nodes run. */
async function showPods({ client }: Replay, workflow: KubeObject, { logs }: Recording): Promise<void> {
  const { namespace = '', name: owner = '', uid = '' } = workflow.metadata;
  for (const name of startedPods(workflow, logs)) {
    const labels = { [workflowLabels.workflow]: owner };
    const ownerReferences = [{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', name: owner, uid }];
    const spec = { containers: [{ name: 'main', image: 'x' }] };
    const metadata = { name, namespace, labels, ownerReferences };
    const pod = await client
      .create({ ...podsRef, namespace }, { apiVersion: 'v1', kind: 'Pod', metadata, spec })
      .catch((error: unknown) => {
        if (isError(error, 'AlreadyExists')) return undefined;
        throw error;
      });
    const containerStatuses = [
      { name: 'main', image: 'x', imageID: 'x', ready: true, restartCount: 0, state: running },
    ];
    const ref = { ...podsRef, namespace, name, subresource: 'status' };
    if (pod !== undefined) await client.update(ref, { ...pod, status: { phase: 'Running', containerStatuses } });
  }
}

const running = { running: { startedAt: '2026-01-01T00:00:00Z' } };

function startedPods(workflow: KubeObject, logs: Recording['logs']): readonly string[] {
  const started = nodesOf(workflow).filter(({ phase }) => phase !== 'Pending');
  const status = { nodes: Object.fromEntries(started.map(node => [node.id, node])) };
  return podsOf({ ...workflow, status }).filter(pod => logs[keyOf({ pod, container: 'main' })] !== undefined);
}

/** As the garbage collection of Argo does; logs have to be read before. */
async function removePods(
  { client, isFollowed, signal }: Replay,
  workflow: KubeObject,
  { logs }: Recording,
): Promise<void> {
  const { namespace = '' } = workflow.metadata;
  for (const name of startedPods(workflow, logs)) {
    await eventually(() => signal.aborted || isFollowed(keyOf({ pod: name, container: 'main' })), {
      what: `the log of ${name} is read`,
    });
    await client.delete({ ...podsRef, namespace, name }, { gracePeriodSeconds: 0 }).catch((error: unknown) => {
      if (!isError(error, 'NotFound'))
        throw new ChandleryError('Internal', 'a pod cannot be removed', { cause: error });
    });
  }
}
