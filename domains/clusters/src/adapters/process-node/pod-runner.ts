import { join } from 'node:path';
import { ChandleryError, toError } from '@chandlery/api';
import type { PortNumbers } from '../../kinds/dynamic-ports.ts';
import { isolationAnnotation } from '../../kinds/private-paths.ts';
import { type Action, decide } from '../../model/pods/decide.ts';
import { unenforcedLimits } from '../../model/pods/limits.ts';
import { observedContainer, type PodObservation } from '../../model/pods/observation.ts';
import { allContainers, type Pod, type ProbeKind } from '../../model/pods/pod.ts';
import { isOver, type PodStatus } from '../../model/pods/pod-status.ts';
import {
  begin,
  recordExit,
  recordFailedStart,
  recordNewImages,
  recordNewSources,
  recordPreparationFailure,
  recordPrepared,
  recordPreStopDone,
  recordProbe,
  recordStop,
} from '../../model/pods/record.ts';
import { resumePod } from '../../model/pods/resume-pod.ts';
import type { ContainerUsage } from '../../ports.ts';
import { LiveContainer, type PodDeps } from './live-container.ts';
import type { LogWriter } from './log-writer.ts';
import type { NodeDeps, PodGiven } from './node-deps.ts';
import { PodPorts } from './pod-ports.ts';
import { PodVolumes } from './pod-volumes.ts';

/** Notified of changes of a pod. */
export interface PodListener {
  onStatus(status: PodStatus): void;
  onProbeFailure(failure: { readonly container: string; readonly message: string }): void;
}

/** Runs one pod: asks the model for actions, executes them, and reports the results to the model. */
export class PodRunner {
  readonly #node: NodeDeps;
  readonly #listener: PodListener;
  readonly #deps: PodDeps;
  readonly #containers: ReadonlyMap<string, LiveContainer>;
  readonly #over = Promise.withResolvers<void>();
  #given: PodGiven;
  #observed: PodObservation;
  #status: PodStatus;
  #reported = '';
  #timer: NodeJS.Timeout | undefined;
  #pending = Promise.resolve();
  #isAdvancing = false;

  constructor(node: NodeDeps, given: PodGiven, listener: PodListener) {
    const { pod } = given;
    const folder = join(node.podsFolder, pod.uid);
    this.#node = node;
    this.#given = given;
    this.#listener = listener;
    const volumes = new PodVolumes(node, folder, () => this.#given);
    this.#deps = { node, folder, volumes, ports: new PodPorts(node.ports, pod), given: () => this.#given };
    const containers = allContainers(pod.spec).map(container => new LiveContainer(this.#deps, container));
    this.#containers = new Map(containers.map(live => [live.container.name, live]));
    const launched = new Set([...this.#containers].filter(([, live]) => live.wasLaunched).map(([name]) => name));
    const resumed = resumePod(pod, node.clock.now(), launched);
    this.#observed = { ...resumed, unenforced: isIsolated(pod) ? unenforcedOf(pod) : [] };
    this.#status = decide(pod, this.#observed, node.clock.now(), node.backOff).status;
  }

  /** Starts the pod. */
  begin(): void {
    this.#advance();
  }

  get status(): PodStatus {
    return this.#status;
  }

  get ports(): PortNumbers {
    return this.#deps.ports.numbers;
  }

  /** The log being written for a container, if its process runs or just ran. */
  logOf(container: string): LogWriter | undefined {
    return this.#containers.get(container)?.log;
  }

  /** Measures a container; undefined when it does not run. */
  async usageOf(container: string): Promise<ContainerUsage | undefined> {
    return this.#containers.get(container)?.usage();
  }

  /** Takes over new labels, annotations and values. The spec cannot change. */
  update(given: PodGiven): void {
    this.#given = { ...given, pod: { ...given.pod, spec: this.#given.pod.spec } };
    this.#deps.volumes.refresh();
    this.#record(recordNewSources);
  }

  /** Retries containers that wait for an image. */
  imagesChanged(): void {
    this.#record(recordNewImages);
  }

  /** Stops the pod; resolves when none of its processes runs. */
  async stop(graceMs: number): Promise<void> {
    this.#observed = recordStop(this.#observed, graceMs, this.#node.clock.now());
    this.#advance();
    await this.#over.promise;
    await this.#pending;
    await this.#deps.volumes.settled();
  }

  /** Acts until there is nothing more to do now, reports, and schedules the next call. */
  #advance(): void {
    // A listener may call back; the loop below sees its changes.
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    clearTimeout(this.#timer);
    while (!this.#isSettled());
    this.#isAdvancing = false;
  }

  /** One round: decide, act, report. True when there was nothing to do and nothing has changed meanwhile. */
  #isSettled(): boolean {
    const now = this.#node.clock.now();
    const { actions, status, requeueAtMs } = decide(this.#given.pod, this.#observed, now, this.#node.backOff);
    for (const action of actions) this.#perform(action, now);
    const observed = { ...this.#observed, conditions: status.conditions };
    this.#observed = observed;
    this.#report(status);
    const isSettled = actions.length === 0 && this.#observed === observed;
    if (isSettled && requeueAtMs !== undefined) this.#wakeIn(requeueAtMs - now.getTime());
    return isSettled;
  }

  #wakeIn(waitMs: number): void {
    const maxMs = 2 ** 31 - 1;
    this.#timer = setTimeout(() => this.#advance(), Math.min(Math.max(waitMs, 1), maxMs));
  }

  #report(status: PodStatus): void {
    this.#status = status;
    const text = JSON.stringify(status);
    if (text !== this.#reported) {
      this.#reported = text;
      this.#listener.onStatus(status);
    }
    if (isOver(status.phase)) {
      this.#deps.volumes.stop();
      this.#deps.ports.release();
      this.#over.resolve();
    }
  }

  #record(change: (observed: PodObservation) => PodObservation): void {
    this.#observed = change(this.#observed);
    this.#advance();
  }

  #perform(action: Action, now: Date): void {
    const live = this.#container(action.container);
    this.#observed = begin(this.#observed, action, now, live.container);
    switch (action.do) {
      case 'prepare':
        this.#pending = Promise.allSettled([this.#pending, this.#prepare(live)]).then(() => {});
        return;
      case 'start':
        return this.#start(live);
      case 'probe':
        return void this.#probe(live, action.probe);
      case 'preStop':
        return void this.#preStop(live);
      case 'terminate':
        return live.terminate();
      case 'kill':
        return live.kill();
      case 'stop':
        return;
    }
  }

  #container(name: string): LiveContainer {
    const live = this.#containers.get(name);
    if (live === undefined) throw new ChandleryError('InternalError', `The pod has no container "${name}".`);
    return live;
  }

  async #prepare(live: LiveContainer): Promise<void> {
    const { name } = live.container;
    try {
      await live.prepare();
      this.#record(observed => recordPrepared(observed, name));
    } catch (thrown) {
      const { code, message } = toError(thrown);
      const now = this.#node.clock.now();
      if (isFinal(code, this.#given.pod))
        return this.#record(observed => recordFailedStart(observed, name, { reason: code, message }, now));
      const reason = code === 'ErrImagePull' ? code : 'CreateContainerConfigError';
      this.#record(observed => recordPreparationFailure(observed, name, { reason, message }, now));
    }
  }

  #start(live: LiveContainer): void {
    const { name } = live.container;
    const { clock, backOff } = this.#node;
    const { attempt } = observedContainer(this.#observed, name);
    void live
      .start(attempt)
      .then(exit => this.#record(observed => recordExit(observed, name, exit, clock.now(), backOff)));
  }

  async #probe(live: LiveContainer, kind: ProbeKind): Promise<void> {
    const answer = await live.probe(kind);
    if (answer === undefined) return;
    if (!answer.ok) {
      const message = `${kind[0]?.toUpperCase()}${kind.slice(1)} probe failed: ${answer.message ?? 'no answer'}`;
      this.#listener.onProbeFailure({ container: live.container.name, message });
    }
    this.#record(observed => recordProbe(observed, live.container, kind, answer));
  }

  async #preStop(live: LiveContainer): Promise<void> {
    await live.preStop();
    this.#record(observed => recordPreStopDone(observed, live.container.name));
  }
}

const isIsolated = ({ annotations }: Pod): boolean => annotations[isolationAnnotation] !== undefined;

/** Memory limits are enforced where `/proc` shows the memory of processes. */
const unenforcedOf = ({ spec }: Pod): readonly string[] =>
  unenforcedLimits(spec, new Set(process.platform === 'linux' ? ['memory'] : []));

const finalCodes = ['ErrImagePull', 'IsolationUnavailable', 'IsolationRefused', 'InvalidPrivatePath'];

/** Whether an isolated pod that runs once cannot be started: it fails at once, so that its owner sees the reason. */
const isFinal = (code: string, pod: Pod): boolean =>
  isIsolated(pod) && pod.spec.restartPolicy === 'Never' && finalCodes.includes(code);
