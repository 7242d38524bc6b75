import type { JsonValue } from '@chandlery/api';
import type { Container, ContainerSet, Script, UserContainer, Volume } from './container.ts';
import type { Arguments, Inputs, Outputs } from './parameters.ts';

/** A number, or a text that may be a tag. */
export type NumberOrText = number | string;

export type RetryPolicy = 'Always' | 'OnFailure' | 'OnError' | 'OnTransientError';

export interface Backoff {
  duration?: string;
  factor?: NumberOrText;
  maxDuration?: string;
  cap?: string;
}

export interface RetryStrategy {
  limit?: NumberOrText;
  retryPolicy?: RetryPolicy;
  backoff?: Backoff;
  expression?: string;
  affinity?: JsonValue;
}

export interface TemplateRef {
  name?: string;
  template?: string;
  clusterScope?: boolean;
}

export interface ContinueOn {
  failed?: boolean;
  error?: boolean;
}

export interface LifecycleHook {
  template?: string;
  templateRef?: TemplateRef;
  arguments?: Arguments;
  expression?: string;
}

export type LifecycleHooks = Record<string, LifecycleHook>;

export interface Sequence {
  count?: NumberOrText;
  start?: NumberOrText;
  end?: NumberOrText;
  format?: string;
}

/** What steps and tasks have in common: the call of a template. */
export interface TemplateCall {
  name: string;
  template?: string;
  templateRef?: TemplateRef;
  inline?: Template;
  arguments?: Arguments;
  when?: string;
  withItems?: JsonValue[];
  withParam?: string;
  withSequence?: Sequence;
  continueOn?: ContinueOn;
  hooks?: LifecycleHooks;
  onExit?: string;
}

export type WorkflowStep = TemplateCall;

export interface DagTask extends TemplateCall {
  depends?: string;
  dependencies?: string[];
}

export interface Dag {
  target?: string;
  tasks: DagTask[];
  failFast?: boolean;
}

export interface LockRef {
  name?: string;
  namespace?: string;
  configMapKeyRef?: { name?: string; key: string };
  database?: boolean | { key: string };
}

/** The singular fields are those of documents older than Argo 4. */
export interface Synchronization {
  mutex?: LockRef;
  mutexes?: LockRef[];
  semaphore?: LockRef;
  semaphores?: LockRef[];
}

export interface Memoize {
  key: string;
  cache?: { configMap?: { name?: string; key?: string } };
  maxAge?: string;
}

export interface HttpRequest {
  url: string;
  method?: string;
  headers?: { name: string; value?: string; valueFrom?: JsonValue }[];
  body?: string;
  bodyFrom?: JsonValue;
  timeoutSeconds?: number;
  successCondition?: string;
  insecureSkipVerify?: boolean;
}

export interface Template {
  name?: string;
  inputs?: Inputs;
  outputs?: Outputs;
  container?: Container;
  script?: Script;
  containerSet?: ContainerSet;
  steps?: WorkflowStep[][];
  dag?: Dag;
  suspend?: { duration?: NumberOrText };
  http?: HttpRequest;
  /** Not executed. */
  resource?: JsonValue;
  /** Not executed. */
  data?: JsonValue;
  /** Not executed. */
  plugin?: JsonValue;
  initContainers?: UserContainer[];
  sidecars?: UserContainer[];
  volumes?: Volume[];
  daemon?: boolean;
  retryStrategy?: RetryStrategy;
  timeout?: string;
  pendingTimeout?: string;
  activeDeadlineSeconds?: NumberOrText;
  parallelism?: number;
  failFast?: boolean;
  memoize?: Memoize;
  synchronization?: Synchronization;
  archiveLocation?: JsonValue;
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
  annotations?: Record<string, string>;
  metrics?: JsonValue;
  [other: string]: unknown;
}

/** The kinds of templates, in the order in which Argo names them. */
export const templateKinds = [
  'container',
  'containerSet',
  'steps',
  'script',
  'resource',
  'dag',
  'suspend',
  'data',
  'http',
  'plugin',
] as const;

export type TemplateKind = (typeof templateKinds)[number];

/** The first kind that a template specifies. */
export const templateKindOf = (template: Template): TemplateKind | undefined =>
  templateKinds.find(kind => template[kind] !== undefined && template[kind] !== null);
