import { durationMs } from '../document/durations.ts';
import type { Outputs, Parameter } from '../document/parameters.ts';
import type { Template } from '../document/template.ts';
import { messageOf, WorkflowError } from '../errors.ts';
import { type Body, type BodyOptions, openNode } from './body.ts';
import { isFulfilled, type NodePhase, type NodeStatus } from './node-status.ts';
import type { Observation } from './observations.ts';
import { stepDeadlineMessage } from './pod-body.ts';

/** Waits until it is resumed, or for a duration. */
export class SuspendBody implements Body {
  readonly isExitHandler: boolean;
  readonly #options: BodyOptions;

  constructor(options: BodyOptions) {
    this.#options = options;
    this.isExitHandler = options.isExitHandler;
  }

  start(): void {
    const { core, name, template, owner } = this.#options;
    const stored = core.nodes.get(name);
    const node = openNode(this.#options, 'Suspend', 'Running');
    if (isFulfilled(node)) return core.enqueue(() => owner.bodyChanged(node));
    if (stored === undefined) setSupplied(node, template);
    core.receivers.set(name, this);
    try {
      this.#setTimer(node);
    } catch (error) {
      return this.#error(messageOf(error));
    }
    core.enqueue(() => owner.bodyChanged(node));
    if (!core.mayExecute(this.isExitHandler)) this.abort('shutdown');
    else if (core.isPastDeadline() && !this.isExitHandler) this.abort('deadline');
  }

  readonly observe = (_observation: Observation): void => undefined;

  readonly abort = (cause: 'shutdown' | 'deadline'): void => {
    const { core } = this.#options;
    this.end('Failed', cause === 'shutdown' ? `Stopped with strategy '${core.shutdown ?? ''}'` : stepDeadlineMessage);
  };

  get node(): NodeStatus | undefined {
    return this.#options.core.nodes.get(this.#options.name);
  }

  /** Resumes the workflow. Throws when an output was not set. */
  resume(message?: string): void {
    const node = this.node;
    if (node === undefined || isFulfilled(node)) return;
    useDefaults(node.outputs);
    this.end('Succeeded', message);
  }

  /** Sets outputs that the node expects to be supplied. */
  set(parameters: Readonly<Record<string, string>>): void {
    const { core } = this.#options;
    const node = this.node;
    if (node === undefined) return;
    for (const [name, value] of Object.entries(parameters)) supply(node, name, value);
    core.nodes.touch(node);
    core.exportOutputs(node.outputs);
  }

  end(phase: NodePhase, message?: string): void {
    const { core, name, owner } = this.#options;
    const node = this.node;
    if (node === undefined) return;
    core.nodes.mark(node, phase, message);
    core.exportOutputs(node.outputs);
    core.receivers.delete(name);
    core.timers.clear(`suspend:${name}`);
    core.enqueue(() => owner.bodyChanged(node));
  }

  #setTimer(node: NodeStatus): void {
    const { core, name, template } = this.#options;
    const duration = template.suspend?.duration;
    if (duration === undefined || duration === '') return;
    const due = Date.parse(node.startedAt) + durationMs(duration);
    core.timers.set(`suspend:${name}`, due, () => {
      try {
        this.resume();
      } catch (error) {
        this.#error(messageOf(error));
      }
    });
  }

  #error(message: string): void {
    const { core, name, owner } = this.#options;
    const node = this.node;
    if (node === undefined) return;
    core.nodes.mark(node, 'Error', message);
    core.receivers.delete(name);
    core.enqueue(() => owner.bodyErrored(node, message));
  }
}

/** Shows which outputs are expected. An input of the same name gives the default, when there is no other. */
function setSupplied(node: NodeStatus, template: Template): void {
  const supplied = (template.outputs?.parameters ?? []).filter(({ valueFrom }) => valueFrom?.supplied !== undefined);
  if (supplied.length === 0) return;
  node.outputs = { parameters: supplied.map(parameter => withInputDefault(parameter, template)) };
}

function withInputDefault(parameter: Parameter, template: Template): Parameter {
  const input = template.inputs?.parameters?.find(({ name }) => name === parameter.name);
  if (parameter.valueFrom?.default !== undefined || input?.default === undefined) return parameter;
  return { ...parameter, valueFrom: { ...parameter.valueFrom, default: input.default } };
}

function useDefaults(outputs: Outputs | undefined): void {
  for (const parameter of outputs?.parameters ?? []) {
    if (parameter.valueFrom?.supplied === undefined) continue;
    const value = parameter.valueFrom.default;
    if (value === undefined) {
      const text = `raw output parameter '${parameter.name}' has not been set and does not have a default value`;
      throw new WorkflowError('invalid-command', text);
    }
    parameter.value = value;
    delete parameter.valueFrom;
  }
}

function supply(node: NodeStatus, name: string, value: string): void {
  if (node.outputs === undefined) {
    const text = 'cannot set output parameters because node is not expecting any raw parameters';
    throw new WorkflowError('invalid-command', text);
  }
  const parameter = node.outputs.parameters?.find(candidate => candidate.name === name);
  if (parameter === undefined) {
    throw new WorkflowError('invalid-command', `node is not expecting output parameter '${name}'`);
  }
  if (parameter.valueFrom?.supplied === undefined) {
    const text = `cannot set output parameter '${name}' because it does not use valueFrom.raw or it was already set`;
    throw new WorkflowError('invalid-command', text);
  }
  parameter.value = value;
  delete parameter.valueFrom;
}
