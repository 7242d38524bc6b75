import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { EnvVar, RetryOptions, UserContainer, Volume, VolumeMount, WorkflowDocument } from '@chandlery/workflow';

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
  /** Default: the platform cluster. */
  readonly cluster?: string | undefined;
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
  /** The cluster whose Argo executes it. Default: the platform cluster, and the embedded engine. */
  readonly cluster?: string | undefined;
}

/** Where the Workflows of a tenant are. */
export type WorkflowPlace = Omit<WorkflowAddress, 'name'>;

/** A Workflow that was handed in. */
export interface SubmittedWorkflow extends WorkflowAddress {
  readonly uid: string;
}

/** Workflows of orders as a watch shows them. Disposing of it ends the watch. */
export interface WorkflowWatch extends AsyncDisposable {
  /** Resolves when everything that is on the platform cluster is known. Other clusters may be out of reach for any time. */
  readonly synced: Promise<void>;
  /** Undefined when there is none, or it is not known yet. Nodes may be missing while it runs. */
  get(address: WorkflowAddress): KubeObject | undefined;
  /** Returns the known Workflows of an order. */
  ofOrder(id: string): readonly WorkflowAddress[];
}

/**
 * Executes Workflows of orders: the embedded engine, or the Argo of a cluster. One contract suite holds for both
 * (`workflow-engine-contract.ts`). All calls reject with the client's codes when the cluster cannot be reached.
 */
export interface WorkflowEngine {
  /** Returns where Workflows of a tenant are handed in. */
  placeOf(tenant: string): WorkflowPlace;
  /**
   * Hands a document in. One of this name that is there already is returned when it is the same order's. Rejects with
   * `Invalid` for a document that the engine does not accept.
   */
  submit(document: WorkflowDocument, tenant: string): Promise<SubmittedWorkflow>;
  /** Returns a Workflow with all of its nodes; undefined when there is none. */
  get(address: WorkflowAddress): Promise<KubeObject | undefined>;
  /** Sets fields of the spec: `suspend`, `shutdown`. Rejects with `NotFound`. */
  patchSpec(address: WorkflowAddress, spec: Readonly<Record<string, string | boolean>>): Promise<void>;
  /** Ends suspended nodes: all, or those that a field selector selects. Rejects with `conflict`, `invalid`, `NotFound`. */
  resume(address: WorkflowAddress, selector: string | undefined): Promise<void>;
  /** Sets outputs of suspended nodes. Rejects with `conflict`, `invalid`, `NotFound`. */
  setOutputs(address: WorkflowAddress, outputs: NodeOutputs): Promise<void>;
  /** Starts a completed Workflow again from its failures; one that runs stays as it is. Rejects with `conflict`, `NotFound`. */
  retry(address: WorkflowAddress, options: RetryOptions): Promise<void>;
  /** Removes a Workflow; one that is not there is no failure. */
  remove(address: WorkflowAddress): Promise<void>;
  /** Reads what a container printed, also after its pod is gone, as long as its Workflow is there. */
  readLog: ReadContainerLog;
  /** Calls the listener with the UUIDs of orders whose Workflows have changed. */
  watch(changed: (order: string) => void): WorkflowWatch;
}

/** Values for outputs of suspended nodes. */
export interface NodeOutputs {
  /** A field selector. Default: all that are suspended. */
  readonly selector: string | undefined;
  readonly parameters: Readonly<Record<string, string>>;
}

export interface ReadLogOptions {
  readonly isFollowed: boolean;
  readonly signal: AbortSignal;
}

/** The cluster of an Argo, as whoever hands Workflows to it sees it. */
export interface ArgoCluster {
  /** Not disposed of by whoever asked for it. */
  readonly client: Client;
  /**
   * Reads the log of a container, each line with its time: what is there, or until the container ends. Rejects with
   * `NotFound` when there is no pod, and `BadRequest` when the container has not started.
   */
  readLog(container: ContainerRef, options: ReadLogOptions): Promise<AsyncIterable<Uint8Array>>;
}

/** Connects to a cluster by name, and stays connected until it is disposed of. */
export type ConnectArgo = (cluster: string, signal: AbortSignal) => Promise<ArgoCluster>;
