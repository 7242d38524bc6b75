import type { Inputs, Outputs } from '../document/parameters.ts';
import type { TemplateRef } from '../document/template.ts';

export type NodePhase = 'Pending' | 'Running' | 'Succeeded' | 'Skipped' | 'Failed' | 'Error' | 'Omitted';

export type NodeType =
  | 'Pod'
  | 'Container'
  | 'Steps'
  | 'StepGroup'
  | 'DAG'
  | 'TaskGroup'
  | 'Retry'
  | 'Skipped'
  | 'Suspend'
  | 'HTTP';

export interface NodeFlag {
  hooked?: boolean;
  retried?: boolean;
}

/** A node as Argo's status shows it. Times have milliseconds, so that an execution can be restored exactly. */
export interface NodeStatus {
  readonly id: string;
  readonly name: string;
  displayName: string;
  type: NodeType;
  templateName?: string;
  templateRef?: TemplateRef;
  templateScope?: string;
  phase: NodePhase;
  message?: string;
  boundaryID?: string;
  startedAt: string;
  finishedAt?: string;
  inputs?: Inputs;
  outputs?: Outputs;
  /** Ids. */
  children?: string[];
  /** Ids. */
  outboundNodes?: string[];
  nodeFlag?: NodeFlag;
  podIP?: string;
  hostNodeName?: string;
  daemoned?: boolean;
  progress?: string;
  memoizationStatus?: { hit: boolean; key: string; cacheName: string };
  synchronizationStatus?: { waiting?: string };
}

export type WorkflowPhase = '' | 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Error';

/** The part of a workflow's status that is not about single nodes. */
export interface WorkflowStatus {
  phase: WorkflowPhase;
  message?: string;
  startedAt?: string;
  finishedAt?: string;
  /** Nodes that succeeded, of those that do work themselves: `3/5`. */
  progress?: string;
  /** Outputs with a globalName. */
  outputs?: Outputs;
  conditions?: { type: string; status: 'True' | 'False'; message?: string }[];
  /** What commands asked for; belongs into the spec of the document. */
  shutdown?: 'Stop' | 'Terminate';
  suspended?: boolean;
}

const completedPhases: ReadonlySet<NodePhase> = new Set(['Succeeded', 'Failed', 'Error']);

/** The node ran to its end. */
export const isCompleted = ({ phase }: NodeStatus): boolean => completedPhases.has(phase);

export const isFailed = ({ phase }: NodeStatus): boolean => phase === 'Failed' || phase === 'Error';

/** Nothing will happen to the node any more, except that a daemon is stopped. */
export const isEnded = (node: NodeStatus): boolean =>
  isCompleted(node) || node.phase === 'Skipped' || node.phase === 'Omitted';

/** Those that wait for the node need not wait any longer. */
export const isFulfilled = (node: NodeStatus): boolean =>
  isEnded(node) || (node.daemoned === true && node.phase !== 'Pending');

/** The message of a node that waited longer than its timeout allows. */
export const timeoutMessage = 'timeout';

/** Whether a node ended because it waited too long, which callers treat unlike other failures. */
export const isTimedOut = ({ phase, type, message }: NodeStatus): boolean =>
  phase === 'Failed' && message === timeoutMessage && type === 'Pod';
