import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isError, toError } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import { createInformer, type Informer, keyOf } from '@chandlery/runtime';
import type { EnvVar, KillAction, Observation } from '@chandlery/workflow';
import type {
  ArtifactStore,
  NodeLogs,
  NodeRunner,
  ObserveNode,
  ReadPodLog,
  StartRequest,
  WorkflowIdentity,
} from '../../workflow-ports.ts';
import { workflowUidLabel } from './build-pod.ts';
import { collectEnd } from './collect-end.ts';
import { FinishedPods } from './finished-pods.ts';
import { interpretPod, isHeld, type PodObject, type PodState } from './interpret-pod.ts';
import { InputProblem } from './place-inputs.ts';
import { removeFinalizer } from './remove-finalizer.ts';
import { startPod } from './start-pod.ts';

export const podsRef: ResourceRef = { group: '', version: 'v1', plural: 'pods' };

export interface PodRunnerOptions {
  /** Of the cluster whose pods execute nodes. Not disposed of. */
  readonly client: Client;
  /** Where private files of nodes and claims of workflows are. */
  readonly folder: string;
  readonly artifacts: ArtifactStore;
  readonly logs: NodeLogs;
  readonly readPodLog: ReadPodLog;
  readonly observe: ObserveNode;
  readonly logger: Logger;
  /** Further variables of all containers of a workflow's nodes. Default: none. */
  readonly envOf?: (workflow: WorkflowIdentity, spec: StartRequest['spec']) => readonly EnvVar[];
  /** How many pods are kept after their end, so that kubectl shows them. Default 100. */
  readonly maxFinishedPods?: number;
}

/** Sidecars that still run when the work has ended are killed after this time. */
const sidecarGraceSeconds = 2;

/** What the runner knows of a node that it runs. */
interface RunningNode {
  readonly request: StartRequest;
  /** Of its pod; undefined while that is being created. */
  podUid: string | undefined;
  isKilled: boolean;
  hasStarted: boolean;
  isEnding: boolean;
  /** How it ended, until that is stored. */
  end?: Observation;
}

/** Runs nodes as pods. A pod is held by a finalizer until its outputs and logs are stored. */
export class PodRunner implements NodeRunner {
  readonly options: PodRunnerOptions;
  readonly #pods: Informer<PodObject>;
  /** By `namespace/name` of the pod. */
  readonly #nodes = new Map<string, RunningNode>();
  /** Keys of pods by workflow and node. */
  readonly #keys = new Map<string, string>();
  readonly #finished: FinishedPods;
  #isSettled = false;
  readonly #work = new Set<Promise<void>>();

  constructor(options: PodRunnerOptions) {
    this.options = options;
    const { client, maxFinishedPods = 100 } = options;
    this.#pods = createInformer<PodObject>({ client, ref: podsRef, labelSelector: workflowUidLabel });
    this.#finished = new FinishedPods(maxFinishedPods, pod => this.#track(this.#deletePod(pod, 0)));
    this.#pods.addIndex('workflow', pod => [pod.metadata.labels?.[workflowUidLabel] ?? '']);
    this.#pods.listen({
      added: pod => this.#look(pod),
      updated: pod => this.#look(pod),
      deleted: pod => this.#vanished(pod),
    });
  }

  /** Resolves when the pods that exist are known. No node may be started earlier. */
  async open(): Promise<void> {
    this.#pods.start();
    await this.#pods.synced;
  }

  settle(): void {
    this.#isSettled = true;
    for (const pod of this.#pods.list()) this.#look(pod);
  }

  start(request: StartRequest): void {
    const key = podKey(request.workflow, request.action.podName);
    const known = this.#nodes.get(key);
    if (known !== undefined) return this.#reportAgain(known);
    const pod = request.earlierStart === 'none' ? undefined : this.#podOf(key);
    const podUid = pod?.metadata.uid;
    this.#nodes.set(key, { request, podUid, isKilled: false, hasStarted: false, isEnding: false });
    this.#keys.set(nodeKey(request.workflow.uid, request.action.node), key);
    if (pod !== undefined) this.#look(pod);
    else if (request.earlierStart === 'started')
      this.#report(key, { kind: 'lost', node: request.action.node, message: 'pod deleted' });
    else this.#track(this.#create(key, request));
  }

  kill(workflow: WorkflowIdentity, { podName, graceSeconds }: KillAction): void {
    const key = podKey(workflow, podName);
    const node = this.#nodes.get(key);
    if (node !== undefined) node.isKilled = true;
    const pod = this.#podOf(key);
    if (pod !== undefined) this.#track(this.#deletePod(pod, graceSeconds));
  }

  release(workflowUid: string, node: string): void {
    const key = this.#keys.get(nodeKey(workflowUid, node)) ?? '';
    this.#keys.delete(nodeKey(workflowUid, node));
    this.#nodes.delete(key);
    const pod = this.#podOf(key);
    if (pod !== undefined && isHeld(pod)) this.#track(this.#letGo(pod));
  }

  async forget(workflow: WorkflowIdentity): Promise<void> {
    for (const [key, { request }] of this.#nodes) {
      if (request.workflow.uid !== workflow.uid) continue;
      this.#nodes.delete(key);
      this.#keys.delete(nodeKey(workflow.uid, request.action.node));
    }
    for (const pod of this.#pods.byIndex('workflow', workflow.uid)) {
      await this.#deletePod(pod, 0);
      await removeFinalizer(this.options.client, pod);
    }
    await this.options.logs.remove(workflow.uid);
    await this.options.artifacts.remove(workflow.uid);
    await rm(join(this.options.folder, workflow.uid), { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pods.stop();
    await Promise.all(this.#work);
  }

  #podOf(key: string): PodObject | undefined {
    const slash = key.indexOf('/');
    return this.#pods.get(key.slice(0, slash), key.slice(slash + 1));
  }

  #report(key: string, observation: Observation): void {
    const node = this.#nodes.get(key);
    if (node === undefined) return;
    if (observation.kind !== 'started') Object.assign(node, { isEnding: true, end: observation });
    this.options.observe(node.request.workflow.uid, observation);
  }

  /** The observer of its end may have failed before it was stored. */
  #reportAgain({ request, end }: RunningNode): void {
    if (end !== undefined) this.options.observe(request.workflow.uid, end);
  }

  async #create(key: string, request: StartRequest): Promise<void> {
    const { node } = request.action;
    try {
      const uid = await startPod(this.options, request);
      const running = this.#nodes.get(key);
      if (running === undefined) return;
      running.podUid = uid;
      // Killed while it was being created.
      if (running.isKilled) await this.#deleteByName(request);
      const pod = this.#podOf(key);
      if (pod !== undefined) this.#look(pod);
    } catch (thrown) {
      const message =
        thrown instanceof InputProblem ? thrown.message : `cannot start the pod: ${toError(thrown).message}`;
      this.#report(key, { kind: 'lost', node, message });
    }
  }

  #look(pod: PodObject): void {
    const key = keyOf(pod);
    const node = this.#nodes.get(key);
    if (node === undefined) return this.#lookAtFinished(pod);
    if (node.isEnding || node.podUid !== pod.metadata.uid) return;
    const state = interpretPod(pod, node.isKilled);
    if (state.type === 'running') this.#running(key, node, pod, state);
    else if (state.type !== 'waiting') {
      // A pod may have ended before it was observed as running; hooks for running nodes are due all the same.
      if (state.type === 'ended') this.#running(key, node, pod, { type: 'running', isReady: false });
      node.isEnding = true;
      this.#track(this.#collect(key, node, pod, state));
    }
  }

  #running(key: string, node: RunningNode, pod: PodObject, { isReady }: PodState & { type: 'running' }): void {
    const { action } = node.request;
    if (node.hasStarted || (action.isDaemon && !isReady)) return;
    node.hasStarted = true;
    const { podIP } = pod.status ?? {};
    const { nodeName } = pod.spec ?? {};
    this.#report(key, {
      kind: 'started',
      node: action.node,
      ...(podIP !== undefined && { podIP }),
      ...(nodeName !== undefined && { hostNodeName: nodeName }),
    });
  }

  async #collect(key: string, node: RunningNode, pod: PodObject, state: PodState): Promise<void> {
    const observation = await collectEnd(this.options, node.request, pod, state);
    this.#report(key, observation);
  }

  /** A pod that no node waits for: it is kept for a while, or let go when it was being deleted. */
  #lookAtFinished(pod: PodObject): void {
    if (!this.#isSettled) return;
    if (pod.metadata.deletionTimestamp !== undefined) {
      if (isHeld(pod)) this.#track(removeFinalizer(this.options.client, pod));
      return;
    }
    const { phase } = pod.status ?? {};
    if (phase === 'Succeeded' || phase === 'Failed') this.#finished.add(pod);
  }

  #vanished(pod: PodObject): void {
    const key = keyOf(pod);
    this.#finished.delete(pod);
    const node = this.#nodes.get(key);
    if (node === undefined || node.isEnding || node.podUid !== pod.metadata.uid) return;
    this.#report(key, { kind: 'lost', node: node.request.action.node, message: 'pod deleted' });
  }

  /** The end of the node is stored. */
  async #letGo(pod: PodObject): Promise<void> {
    const { uid, name = '' } = { uid: pod.metadata.labels?.[workflowUidLabel] ?? '', name: pod.metadata.name };
    await rm(join(this.options.folder, uid, name), { recursive: true, force: true });
    await removeFinalizer(this.options.client, pod);
    if (pod.metadata.deletionTimestamp !== undefined) return;
    const { phase } = this.#podOf(keyOf(pod))?.status ?? {};
    // Only sidecars are left.
    if (phase !== 'Succeeded' && phase !== 'Failed') await this.#deletePod(pod, sidecarGraceSeconds);
    else this.#finished.add(pod);
  }

  async #deletePod(pod: PodObject, gracePeriodSeconds: number): Promise<void> {
    const { namespace = '', name = '', uid = '' } = pod.metadata;
    await ignoreMissing(
      this.options.client.delete({ ...podsRef, namespace, name }, { gracePeriodSeconds, preconditions: { uid } }),
    );
  }

  async #deleteByName({ workflow: { namespace }, action: { podName: name } }: StartRequest): Promise<void> {
    await ignoreMissing(this.options.client.delete({ ...podsRef, namespace, name }));
  }

  /** Failures are logged: whatever is left is reconciled at the next start. */
  #track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) =>
        this.options.logger.warn('a pod of a workflow was not handled', { error: toError(error).message }),
      )
      .finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }
}

const nodeKey = (workflowUid: string, node: string): string => `${workflowUid} ${node}`;

const podKey = ({ namespace }: WorkflowIdentity, podName: string): string => `${namespace}/${podName}`;

async function ignoreMissing(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isError(error, 'NotFound') && !isError(error, 'Conflict')) throw error;
  }
}
