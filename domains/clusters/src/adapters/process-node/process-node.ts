import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { availableParallelism, hostname, totalmem } from 'node:os';
import { join } from 'node:path';
import { badRequest, ChandleryError, type KubeObject, notFound } from '@chandlery/api';
import { type Clock, type Logger, silentLogger, systemClock } from '@chandlery/platform';
import { type BackOff, defaultBackOff } from '../../model/back-off.ts';
import type { ImageMap } from '../../model/images.ts';
import { type Pod, readPod } from '../../model/pod.ts';
import { isOver, type PodStatus } from '../../model/pod-status.ts';
import type { LogRequest, PodNode, PodSources, PodTokens, StatusListener } from '../../ports.ts';
import { findLog } from './find-log.ts';
import { readLog } from './log-reader.ts';
import { logFiles } from './log-writer.ts';
import { killLeftovers } from './pid-files.ts';
import { type NodeNeeds, PodRunner } from './pod-runner.ts';
import { ProcessKeeper } from './process-keeper.ts';

export interface ProcessNodeOptions {
  /** Where pods' folders and logs live. One node at a time: whoever opens it kills what another left running. */
  readonly folder: string;
  /** What stands for which image. Default none. */
  readonly images?: ImageMap;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: this machine's. */
  readonly nodeName?: string;
  /** Variables for every container, such as where the API is. Default none. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Who gives tokens for projected volumes. Default nobody: such a pod waits with an error. */
  readonly tokens?: PodTokens;
  readonly limits?: {
    /** Default: Kubernetes' 10 s, doubling to 5 min, forgiven after 10 min. */
    readonly backOff?: BackOff;
    /** Of one log file; a process has two. Default 10 MiB. */
    readonly logBytes?: number;
    /** What pods get to end when the node is disposed. Default 5. */
    readonly disposeGraceSeconds?: number;
  };
  readonly logger?: Logger;
}

/** A node that runs each container as a process of this machine. For development only: nothing is isolated. */
export function createProcessNode(options: ProcessNodeOptions): PodNode {
  return new ProcessNode(options);
}

interface KnownPod {
  readonly pod: Pod;
  /** Missing when the pod was over before this node saw it. */
  readonly runner?: PodRunner;
  readonly status: PodStatus;
}

class ProcessNode implements PodNode {
  readonly #needs: NodeNeeds;
  readonly #keeper: ProcessKeeper;
  readonly #logger: Logger;
  readonly #graceMs: number;
  readonly #pods = new Map<string, KnownPod>();
  readonly #listeners = new Set<StatusListener>();
  readonly #leftovers: Set<string>;
  #disposal: Promise<void> | undefined;

  constructor(options: ProcessNodeOptions) {
    const { limits = {} } = options;
    const podsFolder = join(options.folder, 'pods');
    mkdirSync(podsFolder, { recursive: true, mode: 0o700 });
    const variable = `CHANDLERY_NODE=${fingerprint(options.folder)}`;
    killLeftovers(podsFolder, variable);
    this.#leftovers = new Set(readdirSync(podsFolder));
    this.#keeper = new ProcessKeeper(variable);
    this.#logger = options.logger ?? silentLogger;
    this.#graceMs = (limits.disposeGraceSeconds ?? 5) * 1000;
    this.#needs = {
      clock: options.clock ?? systemClock,
      backOff: limits.backOff ?? defaultBackOff,
      keeper: this.#keeper,
      images: options.images ?? {},
      machine: { name: options.nodeName ?? hostname(), cpus: availableParallelism(), memoryBytes: totalmem() },
      tokens: options.tokens,
      environment: options.environment ?? {},
      podsFolder,
      claimsFolder: join(options.folder, 'claims'),
      maxLogBytes: limits.logBytes ?? 10 * 1024 * 1024,
    };
  }

  runPod(object: KubeObject, sources: PodSources): void {
    if (this.#disposal !== undefined)
      throw new ChandleryError('NodeStopped', 'The node is stopping and takes no pods.');
    const pod = readPod(object);
    const known = this.#pods.get(pod.uid);
    if (known !== undefined) return known.runner?.update(pod, sources);
    this.#leftovers.delete(pod.uid);
    const before = pod.status as PodStatus | undefined;
    if (before?.phase !== undefined && isOver(before.phase)) {
      this.#pods.set(pod.uid, { pod, status: before });
      return;
    }
    const runner = new PodRunner(this.#needs, pod, sources, status => this.#tell(pod.uid, status));
    this.#pods.set(pod.uid, { pod, runner, status: runner.status });
    runner.begin();
  }

  async stopPod(uid: string, graceSeconds: number): Promise<void> {
    await this.#pods.get(uid)?.runner?.stop(graceSeconds * 1000);
  }

  async removePod(uid: string): Promise<void> {
    await this.stopPod(uid, 0);
    if (!this.#pods.delete(uid) && !this.#leftovers.delete(uid)) return;
    rmSync(join(this.#needs.podsFolder, uid), { recursive: true, force: true });
  }

  statusOf(uid: string): PodStatus | undefined {
    const known = this.#pods.get(uid);
    return known?.runner?.status ?? known?.status;
  }

  onStatus(listener: StatusListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  list(): readonly string[] {
    return [...this.#pods.keys()];
  }

  listLeftovers(): readonly string[] {
    return [...this.#leftovers];
  }

  readLog(request: LogRequest): AsyncIterable<Uint8Array> {
    const known = this.#pods.get(request.uid);
    const status = this.statusOf(request.uid);
    if (known === undefined || status === undefined) throw notFound({ group: '', resource: 'pods' }, request.uid);
    const found = findLog(status, request, known.pod.name);
    if ('problem' in found) throw badRequest(found.problem);
    const files = logFiles(join(this.#needs.podsFolder, request.uid, request.container), found.attempt);
    const writer = known.runner?.logOf(request.container);
    const isLive = writer?.files.current === files.current;
    return readLog(files, isLive ? writer : undefined, request, this.#needs.clock.now());
  }

  #tell(uid: string, status: PodStatus): void {
    for (const listener of this.#listeners) {
      try {
        listener(uid, status);
      } catch (error) {
        this.#logger.error('a listener to pod status failed', { uid, error: String(error) });
      }
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposal ??= this.#dispose();
    return this.#disposal;
  }

  async #dispose(): Promise<void> {
    await Promise.all([...this.#pods.values()].map(async ({ runner }) => runner?.stop(this.#graceMs)));
    await this.#keeper[Symbol.asyncDispose]();
  }
}

/** What processes of this folder's node can be recognised by, in every life of the node. */
const fingerprint = (folder: string): string =>
  createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 24);
