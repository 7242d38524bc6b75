import type { Proxy } from '../../ports.ts';

/** What a proxy has seen of a cluster's endpoints in one place, since its last report. */
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

/** What a proxy has seen of a cluster since its last report. */
export interface ClusterLoad {
  readonly cluster: string;
  readonly intervalMs: number;
  readonly localities: readonly LocalityLoad[];
  /** How many requests were not even sent, by the reason's name. */
  readonly dropped: Readonly<Record<string, number>>;
}

/** Takes what proxies report of the calls that they make. */
export interface LoadReports {
  /** False when there is more than it can keep. */
  report(proxy: Proxy, loads: readonly ClusterLoad[]): boolean;
}
