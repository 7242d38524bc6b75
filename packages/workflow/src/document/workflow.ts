import type { JsonValue } from '@chandlery/api';
import type { Volume } from './container.ts';
import type { Arguments } from './parameters.ts';
import type { LifecycleHooks, RetryStrategy, Synchronization, Template } from './template.ts';

export type ShutdownStrategy = 'Stop' | 'Terminate';

export interface WorkflowMetadata {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  creationTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  [other: string]: unknown;
}

export interface WorkflowTemplateRef {
  name: string;
  clusterScope?: boolean;
}

/** The part of a workflow's spec that is executed. */
export interface WorkflowSpec {
  entrypoint?: string;
  templates?: Template[];
  arguments?: Arguments;
  onExit?: string;
  hooks?: LifecycleHooks;
  parallelism?: number;
  activeDeadlineSeconds?: number;
  retryStrategy?: RetryStrategy;
  templateDefaults?: Template;
  suspend?: boolean;
  shutdown?: ShutdownStrategy;
  serviceAccountName?: string;
  priority?: number;
  synchronization?: Synchronization;
  workflowTemplateRef?: WorkflowTemplateRef;
  workflowMetadata?: {
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    labelsFrom?: Record<string, { expression: string }>;
  };
  volumes?: Volume[];
  volumeClaimTemplates?: JsonValue[];
  ttlStrategy?: { secondsAfterCompletion?: number; secondsAfterSuccess?: number; secondsAfterFailure?: number };
  [other: string]: unknown;
}

/** A Workflow, WorkflowTemplate or ClusterWorkflowTemplate. */
export interface WorkflowDocument {
  apiVersion: string;
  kind: string;
  metadata: WorkflowMetadata;
  spec: WorkflowSpec;
}

/** Finds stored templates, which the caller has read before: a pure look-up. */
export interface StoredTemplates {
  /** The WorkflowTemplate of the namespace, or the ClusterWorkflowTemplate; undefined when there is none. */
  readonly find: (name: string, clusterScope: boolean) => WorkflowDocument | undefined;
}

export const noStoredTemplates: StoredTemplates = { find: () => undefined };
