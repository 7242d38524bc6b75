import type { KubeObject } from '@chandlery/api';
import type { NodeStatus } from '@chandlery/workflow';
import type { OrderEvent } from '../order-status.ts';
import { resultOutput } from './order-document.ts';
import { nodesOf, statusOf } from './workflow-nodes.ts';

/** What a Workflow means for its order. */
export interface WorkflowObservation {
  readonly event: OrderEvent;
  readonly errorMessage?: string;
}

/** Phases in which nothing will happen any more. */
export const isCompleted = (workflow: KubeObject): boolean =>
  ['Succeeded', 'Failed', 'Error'].includes(statusOf(workflow).phase);

/** Returns what the state of a Workflow means for its order. */
export function observeWorkflow(workflow: KubeObject): WorkflowObservation {
  const { phase, message = '' } = statusOf(workflow);
  switch (phase) {
    case 'Running':
      return { event: 'started' };
    case 'Succeeded':
      return { event: 'succeeded' };
    case 'Failed':
      return { event: message.startsWith('invalid spec') ? 'errored' : 'failed', errorMessage: failureOf(workflow) };
    case 'Error':
      return { event: 'errored', errorMessage: failureOf(workflow) };
    default:
      return { event: 'accepted' };
  }
}

/** The message of the first leaf that failed, which says more than that of the whole. */
function failureOf(workflow: KubeObject): string {
  const { message = '', phase } = statusOf(workflow);
  const failed = nodesOf(workflow).filter(isFailedLeaf).sort(byEnd)[0];
  if (failed === undefined) return message === '' ? `The Workflow ended in the phase ${phase}` : message;
  const { name = '' } = workflow.metadata;
  return failed.name === name || failed.displayName.startsWith(name)
    ? (failed.message ?? message)
    : `${failed.displayName}: ${failed.message ?? message}`;
}

const leafTypes = new Set(['Pod', 'Container', 'HTTP', 'Suspend']);

const isFailedLeaf = ({ type, phase, message }: NodeStatus): boolean =>
  leafTypes.has(type) && (phase === 'Failed' || phase === 'Error') && message !== undefined;

const byEnd = (one: NodeStatus, other: NodeStatus): number =>
  (one.finishedAt ?? '') < (other.finishedAt ?? '') ? -1 : 1;

/** What a service returned. */
export interface WorkflowResult {
  readonly contentType: string;
  readonly content: string;
}

/** Returns the result of a Workflow: its output `result`, or what the last of its nodes wrote to the result path. */
export function resultOf(workflow: KubeObject): WorkflowResult | undefined {
  const global = valueOf(statusOf(workflow).outputs?.parameters, ['result']);
  if (global !== undefined) return typed(global);
  const ended = nodesOf(workflow).filter(({ type }) => type === 'Pod' || type === 'Retry');
  for (const { outputs } of ended.sort((one, other) => -byEnd(one, other))) {
    const value = valueOf(outputs?.parameters, [resultOutput, 'result']);
    if (value !== undefined) return typed(value);
  }
  return undefined;
}

type Parameters = readonly { readonly name: string; readonly value?: unknown }[];

function valueOf(parameters: Parameters = [], names: readonly string[]): string | undefined {
  for (const name of names) {
    const found = parameters.find(parameter => parameter.name === name)?.value;
    if (typeof found === 'string' && found !== '') return found;
  }
  return undefined;
}

function typed(content: string): WorkflowResult {
  try {
    JSON.parse(content);
    return { contentType: 'application/json', content };
  } catch {
    return { contentType: 'text/plain', content };
  }
}

/** Messages of pods whose image no node can run. */
const imageProblem = /ErrImagePull|ImagePullBackOff|InvalidImageName|ErrImageNeverPull|nothing here runs|no HostImage/i;

/** Returns the first node that waits for an image which cannot be had. */
export const waitingForImage = (workflow: KubeObject): NodeStatus | undefined =>
  nodesOf(workflow).find(
    ({ type, phase, message }) => type === 'Pod' && phase === 'Pending' && imageProblem.test(message ?? ''),
  );
