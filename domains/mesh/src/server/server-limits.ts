/** Limits and timeouts of the server. */
export interface XdsServerLimits {
  /** Maximum number of connections that have calls. Default 0: unlimited. */
  readonly maxConnections: number;
  /** Maximum number of open calls of one connection. Default 100 000. */
  readonly maxStreamsPerConnection: number;
  /** Default 4 MiB. */
  readonly maxRequestBytes: number;
  /** A client with more unsent bytes on one stream is slow. Default 64 KiB. */
  readonly highWaterBytes: number;
  /** How long a client waits until its mesh is synced. Default 10 s. */
  readonly readyTimeoutMs: number;
  /** How long an ended call may stay open because its client does not read. Default 5 s. */
  readonly endTimeoutMs: number;
  /** How long a stream may continue after the client certificate has expired. Default 60 s. */
  readonly expiryGraceMs: number;
  /** How often certificates are checked for expiry. Default 10 s. */
  readonly checkIntervalMs: number;
  /** Idle time before a keepalive ping. Default 30 s. */
  readonly keepaliveMs: number;
  /** A connection without a ping response within this time is closed. Default 10 s. */
  readonly keepaliveTimeoutMs: number;
  /** Maximum age of a connection, ± 10 %, so that connections spread over replicas. Default 30 min. */
  readonly maxConnectionAgeMs: number;
  /** How long calls may continue after the maximum age. Default 30 s. */
  readonly maxConnectionAgeGraceMs: number;
  /**
   * How long a connection may continue after the root of its client certificate has stopped signing: the agent needs
   * time to renew it. Default 20 s.
   */
  readonly outdatedGraceMs: number;
  /** Maximum number of such connections that are closed in a second. Default 100. */
  readonly maxOutdatedPerSecond: number;
  /** Idle time after which a connection without calls is closed. Default 5 min. */
  readonly maxIdleMs: number;
  /** Interval of load reports. Default 10 s. */
  readonly loadReportIntervalMs: number;
  /** Maximum time that a client of the REST interface may wait for a change. Default 30 s. */
  readonly maxRestWaitMs: number;
  /** How long the server waits for clients to disconnect when it stops. Default 5 s. */
  readonly stopGraceMs: number;
}

/** Defaults for production. */
export const defaultServerLimits: XdsServerLimits = {
  maxConnections: 0,
  maxStreamsPerConnection: 100_000,
  maxRequestBytes: 4 * 1024 * 1024,
  highWaterBytes: 64 * 1024,
  readyTimeoutMs: 10_000,
  endTimeoutMs: 5_000,
  expiryGraceMs: 60_000,
  checkIntervalMs: 10_000,
  keepaliveMs: 30_000,
  keepaliveTimeoutMs: 10_000,
  maxConnectionAgeMs: 30 * 60_000,
  maxConnectionAgeGraceMs: 30_000,
  outdatedGraceMs: 20_000,
  maxOutdatedPerSecond: 100,
  maxIdleMs: 5 * 60_000,
  loadReportIntervalMs: 10_000,
  maxRestWaitMs: 30_000,
  stopGraceMs: 5_000,
};
