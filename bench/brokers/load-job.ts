import type { OperationName } from './workload.ts';

/** Where requests go. */
export interface LoadTarget {
  /** On 127.0.0.1. */
  readonly port: number;
  /** What comes before `/v2`. */
  readonly prefix: string;
  readonly authorization: string;
}

/** What the load process is asked to do. One job at a time. */
export interface LoadJob {
  readonly operation: OperationName;
  /** Connections are spread over them. */
  readonly targets: readonly LoadTarget[];
  readonly connections: number;
  readonly durationMs: number;
  /** How many instances there are to choose from. */
  readonly instances: number;
  /** Requests begin at this rate. Default: as soon as one is answered the next one begins. */
  readonly perSecond?: number;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly count: number;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
}
