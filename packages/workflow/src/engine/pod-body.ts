import type { Volume } from '../document/container.ts';
import { durationMs } from '../document/durations.ts';
import { podNameOf } from '../document/node-ids.ts';
import type { Template } from '../document/template.ts';
import { plainValue } from '../template/inert.ts';
import { graceSeconds } from './actions.ts';
import { type Body, type BodyOptions, openNode } from './body.ts';
import { markContainers, openContainers } from './container-nodes.ts';
import { isFulfilled, type NodePhase, type NodeStatus, timeoutMessage } from './node-status.ts';
import type { Ended, Observation, Started } from './observations.ts';
import { podResultOf } from './pod-result.ts';

const podDeadlineMessage = 'Pod was active on the node longer than the specified deadline';
export const stepDeadlineMessage = 'Step exceeded its deadline';

/** Executes the containers of a template: container, script or containerSet. */
export class PodBody implements Body {
  readonly isExitHandler: boolean;
  readonly #options: BodyOptions;
  readonly #podName: string;
  #deadlineMessage: string | undefined;

  constructor(options: BodyOptions) {
    this.#options = options;
    this.isExitHandler = options.isExitHandler;
    this.#podName = podNameOf(options.core.name, options.name, options.template.name);
  }

  start(): void {
    const { core, name, owner } = this.#options;
    const stored = core.nodes.get(name);
    // A node that waited for a lock or the cache was made before.
    const isNew = stored === undefined || this.#options.isUnlocked;
    const node = openNode(this.#options, 'Pod', 'Pending');
    if (!isNew && isFulfilled(node) && node.daemoned !== true) return core.enqueue(() => owner.bodyChanged(node));
    const refusal = node.phase === 'Pending' ? this.#refusal(node) : undefined;
    if (refusal !== undefined) return this.#end(refusal.phase, refusal.message, refusal.isError === true);
    core.receivers.set(name, this);
    openContainers(this.#options, node);
    this.#setDeadlines(node);
    if (node.daemoned === true) core.addDaemon(node);
    const action = {
      kind: 'start',
      node: name,
      nodeId: node.id,
      podName: this.#podName,
      template: plainValue(withScratchVolumes(this.#options.template, core.spec.volumes)),
      attempt: this.#options.attempt,
      captureResult: this.#options.captureResult,
      isExitHandler: this.isExitHandler,
      isDaemon: this.#options.template.daemon === true,
    } as const;
    if (isNew) core.act(action);
    else core.reissue(action);
    core.enqueue(() => owner.bodyChanged(node));
  }

  readonly observe = (observation: Observation): void => {
    const node = this.#node();
    if (node === undefined || (isFulfilled(node) && node.daemoned !== true)) return;
    if (observation.kind === 'started') this.#started(node, observation);
    else if (observation.kind === 'ended') this.#ended(node, observation);
    else if (observation.kind === 'lost') this.#end('Error', observation.message);
  };

  readonly kill = (reason: string): void => this.#kill(reason);

  readonly abort = (cause: 'shutdown' | 'deadline'): void => {
    const { core } = this.#options;
    const message =
      cause === 'shutdown' ? `workflow shutdown with strategy:  ${core.shutdown ?? ''}` : stepDeadlineMessage;
    this.#kill(message);
    this.#end('Failed', message);
  };

  #node(): NodeStatus | undefined {
    return this.#options.core.nodes.get(this.#options.name);
  }

  /** Why no container is started. */
  #refusal(node: NodeStatus): { phase: NodePhase; message: string; isError?: boolean } | undefined {
    const { core, template, name } = this.#options;
    if (!core.mayExecute(this.isExitHandler)) {
      return { phase: 'Failed', message: `workflow shutdown with strategy: ${core.shutdown ?? ''}` };
    }
    if (core.isPastDeadline() && !this.isExitHandler) return { phase: 'Failed', message: stepDeadlineMessage };
    if (!isSet(template.timeout)) return undefined;
    const left = timeoutSeconds(template.timeout, core.now - Date.parse(node.startedAt));
    return left <= 1 ? { phase: 'Error', message: `${name} exceeded its deadline`, isError: true } : undefined;
  }

  #setDeadlines(node: NodeStatus): void {
    const { core, template, name, executionDeadline } = this.#options;
    const seconds = Number(template.activeDeadlineSeconds ?? 0);
    const start = Date.parse(node.startedAt);
    const due = [executionDeadline ?? Number.POSITIVE_INFINITY];
    if (node.phase === 'Pending' && isSet(template.pendingTimeout))
      due.push(start + durationMs(template.pendingTimeout));
    if (seconds > 0 && node.phase === 'Running') due.push(start + seconds * 1000);
    if (isSet(template.timeout)) due.push(start + timeoutSeconds(template.timeout, 0) * 1000);
    const earliest = Math.min(...due);
    if (Number.isFinite(earliest)) core.timers.set(`pod:${name}`, earliest, () => this.#expire());
  }

  /**
   * The process is killed, and the node ends when it has: what it wrote until then is kept. One that never started is not
   * waited for.
   */
  #expire(): void {
    if (this.#node()?.phase === 'Pending') {
      this.#kill(timeoutMessage);
      return this.#end('Failed', timeoutMessage);
    }
    this.#deadlineMessage = podDeadlineMessage;
    this.#kill(podDeadlineMessage);
  }

  #kill(reason: string): void {
    this.#options.core.act({ kind: 'kill', node: this.#options.name, podName: this.#podName, graceSeconds, reason });
  }

  #started(node: NodeStatus, { podIP, hostNodeName }: Started): void {
    const { core, template, owner } = this.#options;
    core.nodes.update(node, changed => {
      changed.phase = 'Running';
      delete changed.message;
      if (hostNodeName !== undefined) changed.hostNodeName = hostNodeName;
      if (template.daemon === true) changed.daemoned = true;
      if (template.daemon === true && podIP !== undefined) changed.podIP = podIP;
    });
    if (template.daemon === true) core.addDaemon(node);
    markContainers(this.#options, node, undefined);
    this.#setDeadlines(node);
    core.enqueue(() => owner.bodyChanged(node));
  }

  #ended(node: NodeStatus, ended: Ended): void {
    const { core, template } = this.#options;
    const result = podResultOf(template, ended, this.#options.captureResult);
    core.nodes.update(node, changed => {
      if (result.outputs !== undefined) changed.outputs = result.outputs;
      delete changed.daemoned;
    });
    markContainers(this.#options, node, ended);
    core.exportOutputs(result.outputs);
    if (this.#deadlineMessage !== undefined) this.#end('Failed', this.#deadlineMessage);
    else this.#end(result.phase, result.message);
  }

  #end(phase: NodePhase, message: string | undefined, isError = false): void {
    const { core, owner } = this.#options;
    const node = this.#node();
    if (node === undefined) return;
    core.nodes.update(node, changed => {
      delete changed.daemoned;
    });
    core.nodes.mark(node, phase, message ?? '');
    if (message !== undefined) markContainers(this.#options, node, message);
    this.#forget();
    core.enqueue(() => (isError ? owner.bodyErrored(node, message ?? '') : owner.bodyChanged(node)));
  }

  #forget(): void {
    const { core, name } = this.#options;
    core.receivers.delete(name);
    core.timers.clear(`pod:${name}`);
  }
}

/** An emptyDir of the workflow is one for each pod, as if its template had it; other volumes are shared by all. */
function withScratchVolumes(template: Template, volumes: readonly Volume[] = []): Template {
  const own = template.volumes ?? [];
  const scratch = volumes.filter(
    ({ name, emptyDir }) => emptyDir !== undefined && !own.some(volume => volume.name === name),
  );
  return scratch.length === 0 ? template : { ...template, volumes: [...own, ...scratch] };
}

const isSet = (duration: string | undefined): duration is string => duration !== undefined && duration !== '';

/** Whole seconds that are left of a timeout when a pod is made; less than the timeout since time has passed by then. */
const timeoutSeconds = (timeout: string, passedMs: number): number =>
  Math.ceil((durationMs(timeout) - passedMs) / 1000) - 1;
