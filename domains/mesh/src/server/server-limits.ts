/** How much the server gives to whom, and how long it waits. */
export interface XdsServerLimits {
  /** How many connections may have calls at the same time. Default 0: as many as come. */
  readonly maxConnections: number;
  /** Calls that one connection may have open. Default 100 000. */
  readonly maxStreamsPerConnection: number;
  /** Default 4 MiB. */
  readonly maxRequestBytes: number;
  /** More unsent bytes than this on one stream and its client is slow. Default 64 KiB. */
  readonly highWaterBytes: number;
  /** How long a client waits while its mesh is not known yet. Default 10 s. */
  readonly readyTimeoutMs: number;
  /** How long an ended call may stay open because its client does not read. Default 5 s. */
  readonly endTimeoutMs: number;
  /** How long a stream may go on after its client's certificate has expired. Default 60 s. */
  readonly expiryGraceMs: number;
  /** How often certificates are looked at. Default 10 s. */
  readonly checkIntervalMs: number;
  /** A quiet connection is asked for a sign of life after this time. Default 30 s. */
  readonly keepaliveMs: number;
  /** Without one for this time it is closed. Default 10 s. */
  readonly keepaliveTimeoutMs: number;
  /** Connections are closed when they get this old, give or take a tenth, so that replicas share the load. Default 30 min. */
  readonly maxConnectionAgeMs: number;
  /** How long calls may go on after that. Default 30 s. */
  readonly maxConnectionAgeGraceMs: number;
  /**
   * How long a connection may go on after another root has begun to sign than that of its client's certificate: the agent
   * needs time to renew that. Default 20 s.
   */
  readonly outdatedGraceMs: number;
  /** How many such connections are closed in a second, so that not all come back at once. Default 100. */
  readonly maxOutdatedPerSecond: number;
  /** Connections without calls are closed. Default 5 min. */
  readonly maxIdleMs: number;
  /** How often proxies report their load. Default 10 s. */
  readonly loadReportIntervalMs: number;
  /** The longest that a client of the REST interface may wait for a change. Default 30 s. */
  readonly maxRestWaitMs: number;
  /** How long stopping waits for clients to go. Default 5 s. */
  readonly stopGraceMs: number;
}

/** Fit for production. */
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
