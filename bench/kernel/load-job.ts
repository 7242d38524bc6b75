/** What the load process is asked to do. One job at a time. */
export type LoadJob =
  | RequestsJob
  | { readonly type: 'openWatchers'; readonly count: number }
  | { readonly type: 'fanOut'; readonly changes: number; readonly connections: number };

export interface RequestsJob {
  readonly type: 'requests';
  readonly what: 'create' | 'get' | 'list' | 'createCluster' | 'getFromCluster';
  readonly connections: number;
  /** Ends after so many requests, or after so long. */
  readonly count?: number;
  readonly durationMs?: number;
  /** Creating: the number of the first object. Reading: how many objects there are to choose from. */
  readonly objects: number;
  /** Lists: how many objects match, in groups of so many. */
  readonly matching: number;
}

export interface RequestsResult {
  readonly count: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the load process. */
  readonly cpuSeconds: number;
}

export interface FanOutResult {
  /** For changes made one at a time: from the request to the last watcher's line. */
  readonly lastDeliveryMs: readonly number[];
  readonly deliveriesPerSecond: number;
}

/** What the load process is started with, in `process.argv[2]`. */
export interface LoadTarget {
  readonly url: string;
  readonly token: string;
  readonly ca: string;
}
