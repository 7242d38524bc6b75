import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { badRequest, ChandleryError, type KubeObject, notFound } from '@chandlery/api';
import { silentLogger } from '@chandlery/platform';
import type { PortNumbers } from '../../kinds/dynamic-ports.ts';
import { type Pod, readPod } from '../../model/pods/pod.ts';
import type { Machine } from '../../model/pods/pod-fields.ts';
import { isOver, type PodStatus } from '../../model/pods/pod-status.ts';
import type {
  ContainerUsage,
  LogRequest,
  PodHome,
  PodNode,
  PodSources,
  ProbeFailureListener,
  StatusListener,
} from '../../ports.ts';
import { findLog } from './find-log.ts';
import { Listeners } from './listeners.ts';
import { readLog } from './log-reader.ts';
import { logFiles } from './log-writer.ts';
import type { NodeDeps } from './node-deps.ts';
import { killLeftovers } from './pid-files.ts';
import { clusterOfFolder, markFolder } from './pod-folders.ts';
import { PodRunner } from './pod-runner.ts';
import { volumesFolder } from './pod-volumes.ts';
import { ProcessKeeper } from './process-keeper.ts';
import { createNodeDeps, type ProcessNodeOptions } from './process-node-options.ts';

export type { ProcessNodeOptions } from './process-node-options.ts';

/**
 * A node that runs each container as a process of this machine. For development only: only pods that request it are
 * isolated.
 */
export function createProcessNode(options: ProcessNodeOptions): PodNode {
  // Containers have other working directories than this process.
  return new ProcessNode({ ...options, folder: resolve(options.folder) });
}

interface KnownPod {
  readonly pod: Pod;
  readonly cluster: string;
  /** Undefined when the pod had ended before this node got it. */
  readonly runner?: PodRunner;
  readonly status: PodStatus;
}

const nowhere: PodHome = { cluster: '' };

class ProcessNode implements PodNode {
  readonly #deps: NodeDeps;
  readonly #graceMs: number;
  readonly #pods = new Map<string, KnownPod>();
  readonly #statusListeners: Listeners<Parameters<StatusListener>>;
  readonly #probeListeners: Listeners<Parameters<ProbeFailureListener>>;
  readonly #leftovers: Set<string>;
  readonly #swept: Promise<void>;
  #disposal: Promise<void> | undefined;

  constructor(options: ProcessNodeOptions) {
    const { limits = {}, logger = silentLogger } = options;
    const podsFolder = join(options.folder, 'pods');
    mkdirSync(podsFolder, { recursive: true, mode: 0o700 });
    const variable = `CHANDLERY_NODE=${fingerprint(options.folder)}`;
    killLeftovers(podsFolder, variable);
    this.#leftovers = new Set(readdirSync(podsFolder));
    this.#graceMs = (limits.disposeGraceSeconds ?? 5) * 1000;
    this.#statusListeners = new Listeners('pod status', logger);
    this.#probeListeners = new Listeners('probe failures', logger);
    this.#deps = createNodeDeps(options, podsFolder, new ProcessKeeper(variable));
    this.#swept = this.#deps.isolation.launcher.sweepLeftovers(podsFolder);
  }

  get machine(): Machine {
    return this.#deps.machine;
  }

  runPod(object: KubeObject, sources: PodSources, home: PodHome = nowhere): void {
    if (this.#disposal !== undefined)
      throw new ChandleryError('NodeStopped', 'The node is stopping and takes no pods.');
    const pod = readPod(object);
    const { uid } = pod;
    const { cluster } = home;
    const known = this.#pods.get(uid);
    if (known !== undefined) return known.runner?.update({ pod, sources, home });
    this.#leftovers.delete(uid);
    const before = pod.status as PodStatus | undefined;
    if (before?.phase !== undefined && isOver(before.phase)) {
      this.#pods.set(uid, { pod, cluster, status: before });
      return;
    }
    markFolder(join(this.#deps.podsFolder, uid), cluster);
    const runner = new PodRunner(
      this.#deps,
      { pod, sources, home },
      {
        onStatus: status => this.#notify(uid, status),
        onProbeFailure: failure => this.#probeListeners.notify(uid, failure),
      },
    );
    this.#pods.set(uid, { pod, cluster, runner, status: runner.status });
    runner.begin();
  }

  async stopPod(uid: string, graceSeconds: number): Promise<void> {
    await this.#pods.get(uid)?.runner?.stop(graceSeconds * 1000);
  }

  async removePod(uid: string): Promise<void> {
    await this.stopPod(uid, 0);
    if (!this.#pods.delete(uid) && !this.#leftovers.delete(uid)) return;
    rmSync(join(this.#deps.podsFolder, uid), { recursive: true, force: true });
  }

  async releasePod(uid: string, graceSeconds: number): Promise<void> {
    await this.stopPod(uid, graceSeconds);
    if (this.#pods.delete(uid)) this.#leftovers.add(uid);
  }

  async removeClaims(cluster: string, claim?: { readonly namespace: string; readonly name: string }): Promise<void> {
    const parts = claim === undefined ? [] : [claim.namespace, claim.name];
    await rm(join(this.#deps.claimsFolder, cluster, ...parts), { recursive: true, force: true });
  }

  statusOf(uid: string): PodStatus | undefined {
    const known = this.#pods.get(uid);
    return this.#disposal === undefined ? (known?.runner?.status ?? known?.status) : undefined;
  }

  volumeFolder(uid: string, volume: string): string {
    return join(volumesFolder(join(this.#deps.podsFolder, uid)), volume);
  }

  portsOf(uid: string): PortNumbers {
    return this.#pods.get(uid)?.runner?.ports ?? {};
  }

  /** Reports no status while the node is stopping: its pods run again with the next node process. */
  #notify(uid: string, status: PodStatus): void {
    if (this.#disposal === undefined) this.#statusListeners.notify(uid, status);
  }

  onStatus(listener: StatusListener): () => void {
    return this.#statusListeners.add(listener);
  }

  onProbeFailure(listener: ProbeFailureListener): () => void {
    return this.#probeListeners.add(listener);
  }

  imagesChanged(): void {
    for (const { runner } of this.#pods.values()) runner?.imagesChanged();
  }

  list(cluster?: string): readonly string[] {
    const pods = [...this.#pods].filter(([, known]) => cluster === undefined || known.cluster === cluster);
    return pods.map(([uid]) => uid);
  }

  listLeftovers(cluster?: string): readonly string[] {
    const { podsFolder } = this.#deps;
    return [...this.#leftovers].filter(
      uid => cluster === undefined || clusterOfFolder(join(podsFolder, uid)) === cluster,
    );
  }

  async usageOf(uid: string, container: string): Promise<ContainerUsage | undefined> {
    return this.#pods.get(uid)?.runner?.usageOf(container);
  }

  readLog(request: LogRequest): AsyncIterable<Uint8Array> {
    const known = this.#pods.get(request.uid);
    const status = this.statusOf(request.uid);
    if (known === undefined || status === undefined) throw notFound({ group: '', resource: 'pods' }, request.uid);
    const found = findLog(status, request, known.pod.name);
    if ('problem' in found) throw badRequest(found.problem);
    const files = logFiles(join(this.#deps.podsFolder, request.uid, request.container), found.attempt);
    const writer = known.runner?.logOf(request.container);
    const isLive = writer?.files.current === files.current;
    return readLog(files, isLive ? writer : undefined, request, this.#deps.clock.now());
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposal ??= this.#dispose();
    return this.#disposal;
  }

  async #dispose(): Promise<void> {
    await Promise.all([...this.#pods.values()].map(async ({ runner }) => runner?.stop(this.#graceMs)));
    await this.#swept;
    await this.#deps.keeper[Symbol.asyncDispose]();
  }
}

/** Identifies processes of this folder's node, in every node process. */
const fingerprint = (folder: string): string =>
  createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 24);
