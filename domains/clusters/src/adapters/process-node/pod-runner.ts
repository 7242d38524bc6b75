import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ChandleryError, toError } from '@chandlery/api';
import type { Clock } from '@chandlery/platform';
import type { BackOff } from '../../model/back-off.ts';
import { type Action, decide } from '../../model/decide.ts';
import { expand } from '../../model/expand.ts';
import type { ImageMap } from '../../model/images.ts';
import { rewritePaths } from '../../model/mounts.ts';
import { observedContainer, type PodObservation } from '../../model/observation.ts';
import { allContainers, type Container, type Handler, type Pod, type ProbeKind, probeOf } from '../../model/pod.ts';
import type { Machine } from '../../model/pod-fields.ts';
import { isOver, type PodStatus } from '../../model/pod-status.ts';
import {
  begin,
  recordExit,
  recordNewSources,
  recordPreparationFailure,
  recordPrepared,
  recordPreStopDone,
  recordProbe,
  recordStop,
} from '../../model/record.ts';
import { resumePod } from '../../model/resume-pod.ts';
import type { PodSources, PodTokens } from '../../ports.ts';
import { execInContainer } from './exec-in-container.ts';
import { type Answer, runHandler } from './handlers.ts';
import { LogWriter, logFiles, removeLog } from './log-writer.ts';
import { removePidFile, writePidFile } from './pid-files.ts';
import { type PreparedContainer, prepareContainer } from './prepare-container.ts';
import type { KeptProcess, ProcessKeeper } from './process-keeper.ts';
import { realizeVolume, resolveMounts, tokenSeconds } from './volumes.ts';

/** What pods of one node share. */
export interface NodeNeeds {
  readonly clock: Clock;
  readonly backOff: BackOff;
  readonly keeper: ProcessKeeper;
  readonly images: ImageMap;
  readonly machine: Machine;
  readonly tokens: PodTokens | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly podsFolder: string;
  readonly claimsFolder: string;
  readonly maxLogBytes: number;
}

/** The world's side of a container: what it was made of, and what runs. */
interface LiveContainer {
  readonly prepared?: PreparedContainer;
  readonly process?: KeptProcess;
  readonly log?: LogWriter;
}

/** Runs one pod: asks the model what to do, does it, tells the model what came of it. */
export class PodRunner {
  readonly #node: NodeNeeds;
  readonly #onStatus: (status: PodStatus) => void;
  readonly #folder: string;
  readonly #live = new Map<string, LiveContainer>();
  readonly #over = Promise.withResolvers<void>();
  #pod: Pod;
  #sources: PodSources;
  #observed: PodObservation;
  #status: PodStatus;
  #told = '';
  #timer: NodeJS.Timeout | undefined;
  #tokenTimer: NodeJS.Timeout | undefined;
  #pending = Promise.resolve();
  #isAdvancing = false;

  constructor(node: NodeNeeds, pod: Pod, sources: PodSources, onStatus: (status: PodStatus) => void) {
    this.#node = node;
    this.#pod = pod;
    this.#sources = sources;
    this.#onStatus = onStatus;
    this.#folder = join(node.podsFolder, pod.uid);
    this.#observed = resumePod(pod, node.clock.now());
    this.#status = decide(pod, this.#observed, node.clock.now(), node.backOff).status;
  }

  /** Begins to run it. */
  begin(): void {
    this.#advance();
  }

  get status(): PodStatus {
    return this.#status;
  }

  /** The log being written for a container, if its process runs or just ran. */
  logOf(container: string): LogWriter | undefined {
    return this.#live.get(container)?.log;
  }

  /** Takes over new labels, annotations and values. What a pod consists of cannot change. */
  update(pod: Pod, sources: PodSources): void {
    this.#pod = { ...pod, spec: this.#pod.spec };
    this.#sources = sources;
    this.#refreshVolumes();
    this.#record(recordNewSources);
  }

  /** Ends the pod; settles when nothing of it runs. */
  async stop(graceMs: number): Promise<void> {
    this.#observed = recordStop(this.#observed, graceMs, this.#node.clock.now());
    this.#advance();
    await this.#over.promise;
    await this.#pending;
  }

  /** Acts until there is nothing more to do now, reports, and sees to it that somebody looks again in time. */
  #advance(): void {
    // A listener may call back; the loop below sees what it changed.
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    clearTimeout(this.#timer);
    while (!this.#isSettled());
    this.#isAdvancing = false;
  }

  /** One round: decide, act, report. True when there was nothing to do and nothing has changed meanwhile. */
  #isSettled(): boolean {
    const now = this.#node.clock.now();
    const { actions, status, wakeAtMs } = decide(this.#pod, this.#observed, now, this.#node.backOff);
    for (const action of actions) this.#perform(action, now);
    const observed = { ...this.#observed, conditions: status.conditions };
    this.#observed = observed;
    this.#report(status);
    const isSettled = actions.length === 0 && this.#observed === observed;
    if (isSettled && wakeAtMs !== undefined) this.#wakeIn(wakeAtMs - now.getTime());
    return isSettled;
  }

  #wakeIn(waitMs: number): void {
    const longestMs = 2 ** 31 - 1;
    this.#timer = setTimeout(() => this.#advance(), Math.min(Math.max(waitMs, 1), longestMs));
  }

  #report(status: PodStatus): void {
    this.#status = status;
    const text = JSON.stringify(status);
    if (text !== this.#told) {
      this.#told = text;
      this.#onStatus(status);
    }
    if (isOver(status.phase)) {
      clearTimeout(this.#tokenTimer);
      this.#over.resolve();
    }
  }

  #record(change: (observed: PodObservation) => PodObservation): void {
    this.#observed = change(this.#observed);
    this.#advance();
  }

  #perform(action: Action, now: Date): void {
    const container = this.#container(action.container);
    this.#observed = begin(this.#observed, action, now, container);
    switch (action.do) {
      case 'prepare':
        this.#pending = Promise.allSettled([this.#pending, this.#prepare(container)]).then(() => {});
        return;
      case 'start':
        return this.#start(container);
      case 'probe':
        return void this.#probe(container, action.probe);
      case 'preStop':
        return void this.#preStop(container);
      case 'terminate':
        return this.#processOf(container)?.signal(this.#live.get(container.name)?.prepared?.stopSignal ?? 'SIGTERM');
      case 'kill':
        return this.#processOf(container)?.kill();
      case 'stop':
        return;
    }
  }

  #container(name: string): Container {
    const container = allContainers(this.#pod.spec).find(candidate => candidate.name === name);
    if (container === undefined) throw new ChandleryError('InternalError', `The pod has no container "${name}".`);
    return container;
  }

  #processOf(container: Container): KeptProcess | undefined {
    return this.#live.get(container.name)?.process;
  }

  #folderOf(container: Container): string {
    return join(this.#folder, container.name);
  }

  async #prepare(container: Container): Promise<void> {
    try {
      const prepared = await this.#makeContainer(container);
      this.#live.set(container.name, { ...this.#live.get(container.name), prepared });
      this.#record(observed => recordPrepared(observed, container.name));
    } catch (thrown) {
      const { code, message } = toError(thrown);
      const reason = code === 'ErrImagePull' ? code : 'CreateContainerConfigError';
      const now = this.#node.clock.now();
      this.#record(observed => recordPreparationFailure(observed, container.name, { reason, message }, now));
    }
  }

  async #makeContainer(container: Container): Promise<PreparedContainer> {
    mkdirSync(this.#folderOf(container), { recursive: true, mode: 0o700 });
    const mounts = resolveMounts(container, await this.#realizeVolumes());
    const { images, machine, environment } = this.#node;
    const containerFolder = this.#folderOf(container);
    const about = { pod: this.#pod, container, sources: this.#sources };
    return prepareContainer({ ...about, machine, images, environment, mounts, containerFolder });
  }

  async #realizeVolumes(): Promise<ReadonlyMap<string, string>> {
    const { machine, tokens, claimsFolder } = this.#node;
    // Beside the containers' folders, under a name that no container can have.
    const folder = join(this.#folder, '.volumes');
    const needs = { pod: this.#pod, sources: this.#sources, machine, tokens, claimsFolder, folder };
    const volumes = this.#pod.spec.volumes ?? [];
    const places = await Promise.all(volumes.map(volume => realizeVolume(needs, volume)));
    this.#renewTokens();
    return new Map(volumes.map(({ name }, index) => [name, places[index] ?? '']));
  }

  /** Tokens are renewed when four fifths of their life are over. */
  #renewTokens(): void {
    clearTimeout(this.#tokenTimer);
    const lives = (this.#pod.spec.volumes ?? []).map(tokenSeconds).filter(seconds => seconds !== undefined);
    if (lives.length === 0 || isOver(this.#status.phase)) return;
    this.#tokenTimer = setTimeout(() => this.#refreshVolumes(), Math.min(...lives) * 800);
  }

  #refreshVolumes(): void {
    if (isOver(this.#status.phase)) return;
    // What is missing now may be there at the next start, which reports it; until then the old files serve.
    const refreshed = this.#realizeVolumes().catch(() => this.#renewTokens());
    this.#pending = Promise.allSettled([this.#pending, refreshed]).then(() => {});
  }

  #start(container: Container): void {
    const { clock, keeper, maxLogBytes } = this.#node;
    const prepared = this.#live.get(container.name)?.prepared;
    if (prepared === undefined) throw new ChandleryError('InternalError', `"${container.name}" was not prepared.`);
    const { attempt } = observedContainer(this.#observed, container.name);
    const folder = this.#folderOf(container);
    if (attempt >= 2) removeLog(logFiles(folder, attempt - 2));
    const log = new LogWriter(logFiles(folder, attempt), clock, maxLogBytes);
    const process = keeper.start({
      ...prepared,
      run: this.#runOf(container),
      onOutput: (stream, chunk) => log.write(stream, chunk),
      onPid: pid => writePidFile(folder, pid),
    });
    this.#live.set(container.name, { prepared, process, log });
    void process.exit.then(exit => {
      log.end();
      removePidFile(folder);
      this.#record(observed => recordExit(observed, container.name, exit, clock.now(), this.#node.backOff));
    });
  }

  #runOf(container: Container): string {
    return `${this.#pod.uid}/${container.name}`;
  }

  async #probe(container: Container, kind: ProbeKind): Promise<void> {
    const probe = probeOf(container, kind);
    const process = this.#processOf(container);
    if (probe === undefined) return;
    const answer = await this.#handle(container, probe, (probe.timeoutSeconds ?? 1) * 1000);
    // An answer about a process that is gone says nothing about its successor.
    if (this.#processOf(container) !== process) return;
    this.#record(observed => recordProbe(observed, container, kind, answer));
  }

  async #preStop(container: Container): Promise<void> {
    const hook = container.lifecycle?.preStop;
    // The grace bounds the hook: when it is over everything of the container is killed.
    const longestMs = 2 ** 31 - 1;
    if (hook !== undefined) await this.#handle(container, hook, longestMs);
    this.#record(observed => recordPreStopDone(observed, container.name));
  }

  #handle(container: Container, handler: Handler, timeoutMs: number): Promise<Answer> {
    const { keeper } = this.#node;
    const prepared = this.#live.get(container.name)?.prepared;
    const run = this.#runOf(container);
    return runHandler(handler, {
      container,
      timeoutMs,
      exec: async (command, limitMs) => {
        if (prepared === undefined) return { ok: false, message: 'the container is not there' };
        const words = command.map(word => rewritePaths(expand(word, prepared.environment), prepared.mounts));
        return execInContainer({ keeper, prepared, run, command: words, timeoutMs: limitMs });
      },
    });
  }
}
