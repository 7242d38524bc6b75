import { notFound } from '@chandlery/api';
import type { ContainerUsage, LogRequest, PodNode } from './ports.ts';

/** A request for a log by pod name and cluster. */
export interface PodLogRequest extends Omit<LogRequest, 'uid'> {
  /** The logical cluster. */
  readonly cluster: string;
  readonly pod: { readonly metadata: { readonly uid?: string; readonly name?: string } };
}

/** The logs of containers. */
export interface PodLogs {
  /** Rejects with `NotFound` for a pod that no node of this process runs. */
  read(request: PodLogRequest): Promise<AsyncIterable<Uint8Array>>;
}

/** Reads the logs of a node's pods; a pod is only found in its own cluster. */
export const podLogsOf = (node: PodNode): PodLogs => ({
  read: async ({ cluster, pod, ...request }) => {
    const { uid = '', name = '' } = pod.metadata;
    if (!node.list(cluster).includes(uid)) throw notFound({ group: '', resource: 'pods' }, name);
    return node.readLog({ ...request, uid });
  },
});

/** What containers use. */
export interface PodUsage {
  /** Undefined for a container that does not run, or whose pod no node of this process runs. */
  read(request: {
    readonly cluster: string;
    readonly uid: string;
    readonly container: string;
  }): Promise<ContainerUsage | undefined>;
}

/** Measures the pods that a node runs; a pod is only found in its own cluster. */
export const podUsageOf = (node: PodNode): PodUsage => ({
  read: async ({ cluster, uid, container }) =>
    node.list(cluster).includes(uid) ? node.usageOf(uid, container) : undefined,
});
