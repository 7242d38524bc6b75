import type { KubeObject } from '@chandlery/api';
import type { EnvVar, UserContainer, Volume, VolumeMount, WorkflowDocument } from '@chandlery/workflow';

/** The order that a container works for. */
export interface BoundOrder {
  /** The UUID. */
  readonly id: string;
  readonly tenant: string;
  /** The UUID of the queue that a standing order processes. Default: the order is executed once. */
  readonly queue?: string | undefined;
}

/** What the data proxy adds to a template, so that its containers reach it. */
export interface DataProxyBinding {
  readonly env: readonly EnvVar[];
  readonly volumes: readonly Volume[];
  readonly volumeMounts: readonly VolumeMount[];
  /** Of the strategy with one proxy per pod. */
  readonly sidecars: readonly UserContainer[];
  readonly annotations: Readonly<Record<string, string>>;
  /** Where a container writes its result. */
  readonly resultPath: string;
}

/** Provides containers with access to artifacts, queues and secrets. How it does so is its own matter. */
export interface DataProxyProvisioner {
  /** Returns the same binding for the same order each time. */
  bind(order: BoundOrder, template: { readonly name: string }): DataProxyBinding;
}

/** One container of a pod. */
export interface ContainerRef {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** Reads what a container printed, also after its pod is gone. Each line begins with its time. Undefined: nothing is known of it. */
export type ReadContainerLog = (container: ContainerRef) => Promise<AsyncIterable<Uint8Array> | undefined>;

/** What a container uses at present; texts in the form of Kubernetes quantities. */
export interface ContainerUsage {
  readonly cpu: string;
  readonly memory: string;
  readonly storage: string;
  readonly ephemeralStorage: string;
}

/** Measures a container; undefined when it does not run, or nobody measures it. */
export type ReadContainerUsage = (container: ContainerRef) => Promise<ContainerUsage | undefined>;

/** Reads content from outside of the landscape. Rejects with `forbidden` for addresses that tenants may not reach. */
export type FetchExternal = (
  url: string,
  signal: AbortSignal,
) => Promise<{ readonly contentType: string; readonly bytes: AsyncIterable<Uint8Array> }>;

/** Where a Workflow is. */
export interface WorkflowAddress {
  readonly namespace: string;
  readonly name: string;
}

/** Workflows of orders, on the engine that executes them. */
export interface WorkflowStore {
  /**
   * Hands a document in and returns the uid of the Workflow. One of this name that is there already is the same order's, and
   * is returned. Rejects with `Invalid` for a document that the engine does not accept.
   */
  submit(document: WorkflowDocument): Promise<string>;
  /** Returns a Workflow with all of its nodes; undefined when there is none. */
  get(address: WorkflowAddress): Promise<KubeObject | undefined>;
  /** Sets fields of the spec. Rejects with `NotFound`. */
  patchSpec(address: WorkflowAddress, spec: Readonly<Record<string, string | boolean>>): Promise<void>;
  /** Replaces a Workflow by what `change` makes of it, which is called again after a conflict. Rejects with `NotFound`. */
  edit(address: WorkflowAddress, change: (workflow: KubeObject) => KubeObject): Promise<void>;
  /** Removes a Workflow; one that is not there is no failure. */
  remove(address: WorkflowAddress): Promise<void>;
}
