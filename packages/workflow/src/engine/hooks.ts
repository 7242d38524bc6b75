import type { Arguments } from '../document/parameters.ts';
import type { LifecycleHook, TemplateCall } from '../document/template.ts';
import { messageOf, WorkflowError } from '../errors.ts';
import { evaluateCondition } from '../template/expression-tag.ts';
import { layerScopes, type Scope } from '../template/scope.ts';
import { substitute } from '../template/substitute.ts';
import type { TemplateContext } from '../template/template-context.ts';
import { Call } from './call.ts';
import type { CallOwner } from './call-options.ts';
import type { Core } from './core.ts';
import { isCompleted, isFulfilled, type NodeStatus } from './node-status.ts';
import { nodeScope, valuesOfNode } from './node-values.ts';
import { markAbsent, resolveStepArtifacts } from './resolve-call.ts';
import type { CreateBody } from './retry-body.ts';

export interface HooksOptions {
  readonly core: Core;
  readonly hooks: Readonly<Record<string, LifecycleHook>>;
  readonly exit: LifecycleHook | undefined;
  readonly prefix: 'tasks' | 'steps';
  /** The name by which the hooks refer to their own node. */
  readonly label: string;
  /** What the step or task itself could refer to. */
  readonly scope: Scope;
  readonly context: TemplateContext;
  readonly boundary: string;
  readonly depth: number;
  readonly createBody: CreateBody;
  /** Calls `update` again. */
  readonly changed: () => void;
  readonly errored: (message: string) => void;
}

/** The hooks of a step or task, except the one for its end. */
export const lifecycleHooks = ({ hooks = {} }: TemplateCall): Record<string, LifecycleHook> =>
  Object.fromEntries(Object.entries(hooks).filter(([name]) => name !== 'exit'));

/** The exit handler of a step, task or workflow. Without arguments of its own it gets those of the workflow. */
export function exitHook(
  { hooks, onExit }: Pick<TemplateCall, 'hooks' | 'onExit'>,
  workflowArguments: Arguments | undefined,
): LifecycleHook | undefined {
  const hook = onExit === undefined || onExit === '' ? hooks?.['exit'] : { template: onExit };
  if (hook === undefined || workflowArguments === undefined) return hook;
  const { parameters = [], artifacts = [] } = hook.arguments ?? {};
  return parameters.length + artifacts.length > 0 ? hook : { ...hook, arguments: workflowArguments };
}

/** Runs the hooks of one node, each at most once: others when their expression holds, the exit handler at the end. */
export class NodeHooks implements CallOwner {
  readonly #options: HooksOptions;
  readonly #calls = new Map<string, Call>();
  #isExitDecided = false;
  #parent: NodeStatus | undefined;

  constructor(options: HooksOptions) {
    this.#options = options;
  }

  /** Starts hooks that are due now. Returns whether the node counts as done: fulfilled, and all its hooks are. */
  update(parent: NodeStatus): boolean {
    this.#parent = parent;
    for (const [name, hook] of Object.entries(this.#options.hooks)) this.#consider(name, hook, parent);
    if (!this.#areFulfilled()) return false;
    if (isCompleted(parent) && !this.#isExitDecided) this.#startExit(parent);
    return isFulfilled(parent) && this.#areFulfilled();
  }

  readonly childChanged = (call: Call): void => {
    this.#adopt(call);
    const { node } = call;
    if (node !== undefined && isFulfilled(node)) this.#options.changed();
  };

  readonly childErrored = (call: Call, message: string): void => {
    this.#adopt(call);
    if (call.name.endsWith('.onExit')) this.#options.changed();
    else this.#options.errored(message);
  };

  #adopt(call: Call): void {
    const { core } = this.#options;
    if (this.#parent !== undefined && call.node !== undefined) core.nodes.addChild(this.#parent, call.node);
  }

  #areFulfilled(): boolean {
    return [...this.#calls.values()].every(({ node }) => node !== undefined && isFulfilled(node));
  }

  #consider(name: string, hook: LifecycleHook, parent: NodeStatus): void {
    const { core, errored } = this.#options;
    if (this.#calls.has(name)) return;
    const nodeName = `${parent.name}.hooks.${name}`;
    try {
      if (hook.expression === undefined || hook.expression === '') {
        throw new WorkflowError('invalid-document', `Expression required for hook ${nodeName}`);
      }
      const isStored = core.nodes.get(nodeName) !== undefined;
      if (isStored || evaluateCondition(hook.expression, this.#scope(parent)))
        this.#start(name, nodeName, hook, parent);
    } catch (error) {
      errored(messageOf(error));
    }
  }

  #startExit(parent: NodeStatus): void {
    const { core, exit } = this.#options;
    this.#isExitDecided = true;
    if (exit === undefined || !core.mayExecute(true)) return;
    const { expression } = exit;
    try {
      const isDue = expression === undefined || expression === '' || evaluateCondition(expression, this.#scope(parent));
      if (isDue) this.#start('exit', `${parent.name}.onExit`, exit, parent);
    } catch (error) {
      this.#options.errored(messageOf(error));
    }
  }

  #start(name: string, nodeName: string, hook: LifecycleHook, parent: NodeStatus): void {
    const { core, context, boundary, depth, createBody } = this.#options;
    const call = new Call({
      core,
      name: nodeName,
      holder: { template: hook.template, templateRef: hook.templateRef },
      label: ['steps.name', ''],
      context,
      arguments: this.#arguments(hook, parent),
      boundary,
      flag: { hooked: true },
      isExitHandler: name === 'exit',
      depth: depth + 1,
      captureResult: false,
      owner: this,
      createBody,
    });
    this.#calls.set(name, call);
    call.enter();
  }

  #arguments({ arguments: given }: LifecycleHook, parent: NodeStatus): Arguments {
    if (given === undefined) return {};
    const scope = this.#scope(parent);
    return resolveStepArtifacts(substitute(markAbsent(given, scope), scope), scope);
  }

  #scope(parent: NodeStatus): Scope {
    const { core, prefix, label, scope } = this.#options;
    const values = valuesOfNode(core, parent).set('status', parent.phase);
    const own = nodeScope(
      prefix,
      () => [label],
      name => (name === label ? values : undefined),
    );
    return layerScopes(own, scope);
  }
}
