import type { TemplateCall } from '../document/template.ts';
import { messageOf } from '../errors.ts';
import { evaluateWhen } from '../expressions/index.ts';
import { plainText } from '../template/inert.ts';
import type { Scope } from '../template/scope.ts';
import type { BodyOptions } from './body.ts';
import { Call } from './call.ts';
import type { CallOwner } from './call-options.ts';
import { exitHook, lifecycleHooks, NodeHooks } from './hooks.ts';
import { resultReferences } from './inner-scope.ts';
import type { NodePhase, NodeStatus } from './node-status.ts';
import type { CreateBody } from './retry-body.ts';

export const failFastMessage = 'template has failed or errored children and failFast enabled';

/** What the steps or tasks of one template have in common. */
export interface InnerCalls {
  readonly options: BodyOptions;
  readonly createBody: CreateBody;
  readonly prefix: 'steps' | 'tasks';
  /** Whether the template refers to the result of a step or task. */
  readonly isResultReferred: (name: string) => boolean;
}

export const innerCalls = (prefix: InnerCalls['prefix'], options: BodyOptions, createBody: CreateBody): InnerCalls => ({
  options,
  createBody,
  prefix,
  isResultReferred: resultReferences(prefix, options.template),
});

/** One execution of a step or task. */
export interface InnerCall {
  readonly call: TemplateCall;
  readonly nodeName: string;
  /** The name of the step or task, without that of an item. */
  readonly label: string;
}

/** The call of a step, task or item. */
export function createCall(inner: InnerCalls, { call, nodeName, label }: InnerCall, owner: CallOwner): Call {
  const { core, name, context, isExitHandler, depth } = inner.options;
  return new Call({
    core,
    name: nodeName,
    holder: { template: call.template, templateRef: call.templateRef, inline: call.inline },
    label: [`${inner.prefix}.name`, call.name],
    context,
    arguments: call.arguments ?? {},
    boundary: name,
    isExitHandler,
    depth: depth + 1,
    captureResult: inner.isResultReferred(label),
    owner,
    createBody: inner.createBody,
  });
}

export interface InnerHooks {
  readonly call: TemplateCall;
  readonly label: string;
  readonly scope: Scope;
  /** Default true: hooks with expressions run besides the one for the end. */
  readonly withLifecycle?: boolean;
  readonly changed: () => void;
  readonly errored: (message: string) => void;
}

/** The hooks of a step, task or item. */
export function createHooks(inner: InnerCalls, { call, withLifecycle = true, ...hooks }: InnerHooks): NodeHooks {
  const { core, name, context, depth } = inner.options;
  return new NodeHooks({
    ...hooks,
    core,
    hooks: withLifecycle ? lifecycleHooks(call) : {},
    exit: exitHook(call, core.spec.arguments),
    prefix: inner.prefix,
    context,
    boundary: name,
    depth,
    createBody: inner.createBody,
  });
}

/** Why a step or task is not executed. */
export interface Skipped {
  readonly phase: NodePhase;
  readonly message: string;
  /** Thrown by the evaluation of its condition. */
  readonly cause?: unknown;
}

/** Evaluates the condition of a step or task; undefined when it is to be executed. */
export function skippedBy(condition: string | undefined): Skipped | undefined {
  const when = plainText(condition ?? '');
  try {
    return evaluateWhen(when) ? undefined : { phase: 'Skipped', message: `when '${when}' evaluated false` };
  } catch (cause) {
    return { phase: 'Error', message: messageOf(cause), cause };
  }
}

/** The node of a step or task that is not executed. */
export function openSkippedNode(
  { core, name: boundary, context }: BodyOptions,
  name: string,
  { template, templateRef }: TemplateCall,
  { phase, message }: Skipped,
): NodeStatus {
  const fields = { name, phase, message, holder: { template, templateRef }, templateScope: context.scope, boundary };
  return core.nodes.get(name) ?? core.nodes.create({ ...fields, type: 'Skipped' });
}

/** Whether a failure of a step or task lets its template continue. */
export const continuesOn = ({ continueOn }: TemplateCall, phase: NodePhase): boolean =>
  (phase === 'Failed' && continueOn?.failed === true) || (phase === 'Error' && continueOn?.error === true);
