/** A port of the workload behind a proxy. */
export interface WorkloadPort {
  readonly tenant: string;
  readonly port: number;
}

/** The workload itself, as a cluster. Only its own proxy knows the name. */
export const localClusterName = ({ tenant, port }: WorkloadPort): string => `${tenant}/local|${port}`;

/** The routes of requests to the workload. */
export const inboundRoutesName = ({ tenant, port }: WorkloadPort): string => `${tenant}/inbound|${port}`;
