import { type Action, type Decision, decide } from './decide.ts';
import type { PodObservation } from './observation.ts';
import { allContainers, type Container, type Pod, type PodSpec, type ProbeKind } from './pod.ts';
import { begin, recordExit, recordPreparationFailure, recordPrepared, recordProbe, recordStop } from './record.ts';
import { resumePod } from './resume-pod.ts';

/** A pod whose actions succeed at once, and a clock that the test moves. */
export class TestSituation {
  readonly pod: Pod;
  nowMs = Date.parse('2026-01-01T00:00:00Z');
  observed: PodObservation;
  /** Everything done so far, as `start main`. */
  readonly done: string[] = [];
  /** Images that are missing. */
  readonly missing = new Set<string>();

  constructor(spec: PodSpec, status?: unknown) {
    this.pod = { uid: 'u', name: 'p', namespace: 'n', labels: {}, annotations: {}, spec, status };
    this.observed = resumePod(this.pod, this.now);
    this.settle();
  }

  get now(): Date {
    return new Date(this.nowMs);
  }

  get decision(): Decision {
    return decide(this.pod, this.observed, this.now);
  }

  /** `phase`, then each container's state in a word: its reason, or Running. */
  get summary(): string {
    const { status } = this.decision;
    const all = [...(status.initContainerStatuses ?? []), ...status.containerStatuses];
    const words = all.map(({ state }) => state.waiting?.reason ?? state.terminated?.reason ?? 'Running');
    return [status.phase, ...words].join(' ');
  }

  settle(): void {
    for (let { actions } = this.decision; actions.length > 0; { actions } = this.decision) {
      for (const action of actions) this.#perform(action);
    }
    this.observed = { ...this.observed, conditions: this.decision.status.conditions };
  }

  #perform(action: Action): void {
    this.done.push(`${action.do} ${action.container}`);
    this.observed = begin(this.observed, action, this.now, this.container(action.container));
    if (action.do === 'prepare') this.#prepare(action.container);
    if (action.do === 'kill') this.exit(action.container, 137, false);
  }

  #prepare(name: string): void {
    const failure = { reason: 'ErrImagePull', message: 'no such image' } as const;
    this.observed = this.missing.has(name)
      ? recordPreparationFailure(this.observed, name, failure, this.now)
      : recordPrepared(this.observed, name);
  }

  container(name: string): Container {
    const found = allContainers(this.pod.spec).find(container => container.name === name);
    if (found === undefined) throw new Error(`no container ${name}`);
    return found;
  }

  exit(name: string, exitCode: number, settle = true): void {
    this.observed = recordExit(this.observed, name, { exitCode }, this.now);
    if (settle) this.settle();
  }

  answer(name: string, kind: ProbeKind, ok: boolean): void {
    this.observed = recordProbe(this.observed, this.container(name), kind, { ok });
    this.settle();
  }

  stop(graceSeconds: number): void {
    this.observed = recordStop(this.observed, graceSeconds * 1000, this.now);
    this.settle();
  }

  pass(seconds: number): void {
    this.nowMs += seconds * 1000;
    this.settle();
  }
}

export const named = (name: string, more: Partial<Container> = {}): Container => ({ name, ...more });
