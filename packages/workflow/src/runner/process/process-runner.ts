import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ArtifactDriver } from '../../document/artifact-location.ts';
import { messageOf } from '../../errors.ts';
import type { Runner, RunReport, RunRequest } from '../runner.ts';
import { ArtifactFolder } from './artifact-folder.ts';
import { PodProcesses } from './pod-processes.ts';

export interface ProcessRunnerOptions {
  /** Where nodes have their private files. Default: a new temporary folder, which `close` removes. */
  readonly folder?: string;
  /** What images run when a container has no command, by image. Default: nothing. */
  readonly images?: Readonly<Record<string, readonly string[]>>;
  /** Programs of this machine by their paths in images, for commands that name one. Default: the paths as they are. */
  readonly programs?: Readonly<Record<string, string>>;
  /** Whether inputs may be read by HTTP. Default true: a process could read them as well. */
  readonly hasHttpArtifacts?: boolean;
  /** Added to the environment of every process. Default: only PATH. */
  readonly env?: Readonly<Record<string, string>>;
  /** Called with everything that containers write. Default: it is dropped. */
  readonly onOutput?: (node: string, chunk: Buffer, stream: 'stdout' | 'stderr') => void;
}

/**
 * Executes containers as plain processes of this machine, with the commands that the machine has. Paths that a template
 * declares are private to each node, by replacing them; there is no other isolation. For development, not for the
 * documents of tenants.
 */
export class ProcessRunner implements Runner {
  readonly artifactDrivers: readonly ArtifactDriver[];
  readonly #options: ProcessRunnerOptions;
  readonly #pods = new Map<string, PodProcesses>();
  readonly #open = new Set<Promise<void>>();
  #folder: Promise<string> | undefined;
  #isClosed = false;

  constructor(options: ProcessRunnerOptions = {}) {
    this.#options = options;
    this.artifactDrivers = options.hasHttpArtifacts === false ? ['raw'] : ['raw', 'http'];
  }

  start(request: RunRequest, report: (report: RunReport) => void): void {
    const running = this.#run(request, report).finally(() => this.#open.delete(running));
    this.#open.add(running);
  }

  kill(node: string, graceSeconds: number): void {
    this.#pods.get(node)?.kill(graceSeconds);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const pod of this.#pods.values()) pod.killNow();
    await Promise.all(this.#open);
    if (this.#options.folder === undefined && this.#folder !== undefined) {
      await rm(await this.#folder, { recursive: true, force: true });
    }
  }

  async #run(request: RunRequest, report: (report: RunReport) => void): Promise<void> {
    const { node } = request.action;
    try {
      const pod = await this.#openPod(request);
      this.#pods.set(node, pod);
      if (this.#isClosed) pod.killNow();
      const ended = await pod.run(() =>
        report({ kind: 'started', node, hostNodeName: 'localhost', podIP: '127.0.0.1' }),
      );
      report({ kind: 'ended', node, ...ended });
    } catch (error) {
      report({ kind: 'lost', node, message: messageOf(error) });
    } finally {
      this.#pods.delete(node);
    }
  }

  async #openPod(request: RunRequest): Promise<PodProcesses> {
    this.#folder ??= this.#makeFolder();
    const root = await this.#folder;
    const { name, uid } = request.workflow;
    const folder = join(root, 'nodes', `${name}-${uid}`, request.action.podName);
    await mkdir(folder, { recursive: true });
    const { images = {}, programs = {}, env = {}, onOutput } = this.#options;
    return new PodProcesses({
      request,
      folder,
      volumes: join(root, 'volumes', `${name}-${uid}`),
      artifacts: new ArtifactFolder(join(root, 'artifacts')),
      images,
      programs,
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', ...env },
      onOutput: (chunk, stream) => onOutput?.(request.action.node, chunk, stream),
    });
  }

  async #makeFolder(): Promise<string> {
    const { folder } = this.#options;
    if (folder === undefined) return mkdtemp(join(tmpdir(), 'workflow-'));
    await mkdir(folder, { recursive: true });
    return folder;
  }
}
