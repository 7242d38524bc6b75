import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ChandleryError } from '@chandlery/api';
import { portVariables } from '../../kinds/dynamic-ports.ts';
import { readPrivatePaths } from '../../kinds/private-paths.ts';
import { expand } from '../../model/pods/expand.ts';
import { rewritePaths } from '../../model/pods/mounts.ts';
import { type Container, type Handler, type ProbeKind, probeOf } from '../../model/pods/pod.ts';
import type { Exit } from '../../model/pods/record.ts';
import type { ContainerUsage } from '../../ports.ts';
import { execInContainer } from './exec-in-container.ts';
import { type ProbeResult, runHandler } from './handlers.ts';
import { isolateContainer } from './isolation/isolate-container.ts';
import { removePoints, writePoints } from './isolation/launcher.ts';
import { LogWriter, logFiles, removeLog } from './log-writer.ts';
import { measureContainer } from './measure-container.ts';
import type { NodeDeps, PodGiven } from './node-deps.ts';
import { removePidFile, writePidFile } from './pid-files.ts';
import type { PodPorts } from './pod-ports.ts';
import { mountsOf, type PodVolumes, volumesFolder } from './pod-volumes.ts';
import { type PreparedContainer, prepareContainer } from './prepare-container.ts';
import type { KeptProcess } from './process-keeper.ts';
import { withTerminationMessage } from './termination-message.ts';

/** The dependencies that the containers of one pod share. */
export interface PodDeps {
  readonly node: NodeDeps;
  readonly folder: string;
  readonly volumes: PodVolumes;
  readonly ports: PodPorts;
  given(): PodGiven;
}

const maxMs = 2 ** 31 - 1;

/** The runtime side of a container: its preparation and its process. */
export class LiveContainer {
  readonly container: Container;
  readonly #pod: PodDeps;
  readonly #folder: string;
  readonly #run: string;
  #prepared: PreparedContainer | undefined;
  #process: KeptProcess | undefined;
  #log: LogWriter | undefined;

  constructor(pod: PodDeps, container: Container) {
    this.container = container;
    this.#pod = pod;
    this.#folder = join(pod.folder, container.name);
    this.#run = `${pod.given().pod.uid}/${container.name}`;
  }

  /** Whether an earlier node process has started it: its log is created before its process. */
  get wasLaunched(): boolean {
    return existsSync(logFiles(this.#folder, 0).current);
  }

  /** The log being written, if its process runs or just ran. */
  get log(): LogWriter | undefined {
    return this.#log;
  }

  /** Prepares folder, volumes, environment and command for the next start. */
  async prepare(): Promise<void> {
    const { node, volumes, ports } = this.#pod;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const numbers = await ports.choose(this.container);
    const places = await volumes.realize();
    const { pod, sources } = this.#pod.given();
    const kubeconfig: Record<string, string> =
      places.account === undefined ? {} : { KUBECONFIG: join(places.account, 'kubeconfig') };
    this.#prepared = prepareContainer({
      pod,
      container: this.container,
      sources,
      machine: node.machine,
      images: node.images(),
      baseFolder: node.baseFolder,
      environment: { ...kubeconfig, ...node.environment, ...portVariables(numbers) },
      view: await isolateContainer({
        pod,
        container: this.container,
        isolation: node.isolation,
        mounts: mountsOf(this.container, places),
        containerFolder: this.#folder,
      }),
      containerFolder: this.#folder,
    });
  }

  /** Starts the process of an attempt. */
  start(attempt: number): Promise<Exit> {
    const { clock, keeper, maxLogBytes, isolation } = this.#pod.node;
    const prepared = this.#prepared;
    if (prepared === undefined) throw new ChandleryError('InternalError', `"${this.container.name}" was not prepared.`);
    if (attempt >= 2) removeLog(logFiles(this.#folder, attempt - 2));
    const restore = prepared.restore === undefined ? [] : [prepared.restore];
    const log = new LogWriter(logFiles(this.#folder, attempt), clock, maxLogBytes, ...restore);
    writePoints(this.#folder, prepared.plan?.points ?? []);
    const process = keeper.start({
      ...prepared,
      run: this.#run,
      launcher: isolation.launcher,
      onOutput: (stream, chunk) => log.write(stream, chunk),
      onPid: pid => writePidFile(this.#folder, pid),
    });
    this.#process = process;
    this.#log = log;
    return process.exit
      .then(exit => withTerminationMessage(exit, this.container, logFiles(this.#folder, attempt), clock.now()))
      .finally(() => {
        log.end();
        removePidFile(this.#folder);
        removePoints(this.#folder);
      });
  }

  /** Measures its processes and what it wrote; undefined when it does not run. */
  usage(): Promise<ContainerUsage | undefined> {
    const { node, folder } = this.#pod;
    const { pod, home } = this.#pod.given();
    const declared = (readPrivatePaths(pod.annotations) ?? []).filter(
      ({ container }) => container === undefined || container === this.container.name,
    );
    const claims = (pod.spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) =>
      claim === undefined ? [] : [join(node.claimsFolder, home.cluster, pod.namespace, claim.claimName)],
    );
    return measureContainer({
      pids: () => this.#process?.pids() ?? [],
      folders: [this.#folder, volumesFolder(folder), ...declared.map(({ hostPath }) => hostPath)],
      claims,
    });
  }

  terminate(): void {
    this.#process?.signal(this.#prepared?.stopSignal ?? 'SIGTERM');
  }

  kill(): void {
    this.#process?.kill();
  }

  /** Runs a probe. Undefined: there is none, or the probed process has ended. */
  async probe(kind: ProbeKind): Promise<ProbeResult | undefined> {
    const probe = probeOf(this.container, kind);
    const process = this.#process;
    if (probe === undefined) return undefined;
    const answer = await this.#handle(probe, (probe.timeoutSeconds ?? 1) * 1000);
    // The result for an ended process does not apply to its successor.
    return this.#process === process ? answer : undefined;
  }

  /** The grace period limits the hook: when it expires, the container is killed. */
  async preStop(): Promise<void> {
    const hook = this.container.lifecycle?.preStop;
    if (hook !== undefined) await this.#handle(hook, maxMs);
  }

  #handle(handler: Handler, timeoutMs: number): Promise<ProbeResult> {
    const prepared = this.#prepared;
    const { node, ports } = this.#pod;
    return runHandler(handler, {
      container: this.container,
      ports: ports.numbers,
      timeoutMs,
      exec: async (command, limitMs) => {
        if (prepared === undefined) return { ok: false, message: 'the container is not there' };
        const words = command.map(word => rewritePaths(expand(word, prepared.environment), prepared.mounts));
        return execInContainer({ node, prepared, run: this.#run, command: words, timeoutMs: limitMs });
      },
    });
  }
}
