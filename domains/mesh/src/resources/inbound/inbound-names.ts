/** A port of the workload behind a proxy. */
export interface WorkloadPort {
  readonly tenant: string;
  readonly port: number;
}

/** Cluster name of the workload itself, which only its own proxy knows. */
export const localClusterName = ({ tenant, port }: WorkloadPort): string => `${tenant}/local|${port}`;

/** Name of the inbound routes of a port. */
export const inboundRoutesName = ({ tenant, port }: WorkloadPort): string => `${tenant}/inbound|${port}`;
