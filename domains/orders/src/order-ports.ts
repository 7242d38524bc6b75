import type { Duplex } from 'node:stream';
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

/** The service whose process a container is. */
export interface BoundService {
  /** The UUID. */
  readonly id: string;
  readonly tenant: string;
}

/** Provides processes of services with the same, as long as their services exist. */
export interface ServiceProxyProvisioner {
  /** Returns the same binding for the same service each time. */
  bindService(service: BoundService): Omit<DataProxyBinding, 'sidecars' | 'annotations' | 'resultPath'>;
}

/** Where the process of a service listens. */
export interface HostedEndpoint {
  readonly host: string;
  readonly port: number;
  /** Names the process: another one, also after a restart, has another name. */
  readonly process: string;
}

/** A process that is reached, or why there is none. `isStarting`: it may become ready by itself. */
export type HostedState =
  | { readonly endpoint: HostedEndpoint }
  | { readonly endpoint?: undefined; readonly problem: string; readonly isStarting: boolean };

/** The processes of services: what is reached through the reverse proxy and takes jobs. Nothing else can be reached by it. */
export interface HostedProcesses {
  /** By the UUID of the service. */
  stateOf(service: string): HostedState;
  /** Whether a process that {@link HostedEndpoint} names runs. */
  isRunning(service: string, process: string): boolean;
  /** Calls the listener with the UUID of each service whose state may have changed. Returns how to stop. */
  listen(listener: (service: string) => void): () => void;
}

/** A job for the process of a service. */
export interface JobRequest {
  readonly endpoint: HostedEndpoint;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Uint8Array;
}

/** What a process did with a job. */
export type JobResponse =
  /** It has answered. `content` is undefined when it was longer than allowed. */
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly contentType: string;
      readonly content: Uint8Array | undefined;
    }
  /** It has accepted the job: the result will be at a path of its own, or is reported through the data proxy. */
  | { readonly kind: 'accepted'; readonly location: string | undefined; readonly retryAfterMs: number }
  /** Nothing listens there, so it knows nothing of the job. */
  | { readonly kind: 'refused' }
  /** The connection broke. It is unknown how much was processed. */
  | { readonly kind: 'broken'; readonly message: string };

/** Sends jobs to processes of services. Never rejects but with the reason of the signal. */
export interface JobSender {
  /** POSTs to `/`. */
  send(request: JobRequest, signal: AbortSignal): Promise<JobResponse>;
  /** Asks for the result of a job that was accepted. */
  poll(endpoint: HostedEndpoint, location: string, signal: AbortSignal): Promise<JobResponse>;
}

/** A request that is passed on to the process of a service. */
export interface ForwardedRequest {
  readonly method: string;
  /** Path and query, as they are sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Undefined: without a body. */
  readonly body?: AsyncIterable<Uint8Array> | undefined;
}

/** What a process answers. */
export interface ForwardedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** A connection to a process that has left HTTP. */
export interface ForwardedSocket extends Omit<ForwardedResponse, 'body'> {
  readonly socket: Duplex;
  /** The first bytes behind the response. */
  readonly head: Uint8Array;
}

/** Passes requests on to processes of services. Rejects with `bad-gateway` and `gateway-timeout`. */
export interface ProcessGateway {
  forward(endpoint: HostedEndpoint, request: ForwardedRequest, signal: AbortSignal): Promise<ForwardedResponse>;
  /** Asks for a WebSocket. A process that does not agree gives a response. */
  upgrade(
    endpoint: HostedEndpoint,
    request: ForwardedRequest,
    signal: AbortSignal,
  ): Promise<ForwardedSocket | ForwardedResponse>;
}

/** One container of a pod. */
export interface ContainerRef {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Default: the platform cluster. */
  readonly cluster?: string | undefined;
}

/** Reads what a container printed, also after its pod is deleted. Each line begins with its time. Undefined: nothing is known of it. */
export type ReadContainerLog = (container: ContainerRef) => Promise<AsyncIterable<Uint8Array> | undefined>;

/** What a container uses at present; texts in the form of Kubernetes quantities. */
export interface ContainerUsage {
  readonly cpu: string;
  readonly memory: string;
  readonly storage: string;
  readonly ephemeralStorage: string;
}

/** Measures a container; undefined when it does not run, or it cannot be measured. */
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
  /** Reads what a container printed, also after its pod is deleted, as long as its Workflow is there. */
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

/** The cluster of an Argo, as the submitter of Workflows sees it. */
export interface ArgoCluster {
  /** Not disposed of by the caller. */
  readonly client: Client;
  /**
   * Reads the log of a container, each line with its time: what is there, or until the container ends. Rejects with
   * `NotFound` when there is no pod, and `BadRequest` when the container has not started.
   */
  readLog(container: ContainerRef, options: ReadLogOptions): Promise<AsyncIterable<Uint8Array>>;
}

/** Connects to a cluster by name, and stays connected until it is disposed of. */
export type ConnectArgo = (cluster: string, signal: AbortSignal) => Promise<ArgoCluster>;
