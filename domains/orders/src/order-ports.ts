import type { EnvVar, UserContainer, Volume, VolumeMount } from '@chandlery/workflow';

/** The order that a container works for. */
export interface BoundOrder {
  /** The UUID. */
  readonly id: string;
  readonly tenant: string;
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
