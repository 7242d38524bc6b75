import type { Proxy } from '../../ports.ts';

/** The load of one locality of a cluster since the last report. */
export interface LocalityLoad {
  readonly region: string;
  readonly zone: string;
  readonly subZone: string;
  readonly issued: number;
  readonly successful: number;
  readonly failed: number;
  /** At the moment of the report. */
  readonly inProgress: number;
}

/** The load of a cluster since the last report. */
export interface ClusterLoad {
  readonly cluster: string;
  readonly intervalMs: number;
  readonly localities: readonly LocalityLoad[];
  /** Number of requests that were dropped before they were sent, by category. */
  readonly dropped: Readonly<Record<string, number>>;
}

/** Receives load reports. */
export interface LoadReports {
  /** Returns false when a part of the report exceeds the limit and is ignored. */
  report(proxy: Proxy, loads: readonly ClusterLoad[]): boolean;
}
