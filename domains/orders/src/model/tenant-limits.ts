/** What one tenant may have. */
export interface TenantLimits {
  /** Bytes of all artifacts, those that are being uploaded included. */
  readonly artifactBytes: number;
  /** Bytes of one artifact. */
  readonly artifactMaxBytes: number;
  /** Uploads that are not complete. */
  readonly unfinishedUploads: number;
  /** Bytes of all messages of all queues. */
  readonly messageBytes: number;
  /** Records of all kinds, messages and retracted aspects included, versions of the past not. */
  readonly records: number;
  /** Orders that are executed at the same time; others wait. */
  readonly runningOrders: number;
  /** Services that are sites. */
  readonly sites: number;
  /** Services with processes that run all the time. */
  readonly processes: number;
}

/** Limits and times that an operator may set. */
export interface OrdersSettings extends TenantLimits {
  /** How long an upload may stay unfinished without a byte coming in. */
  readonly uploadExpiryMs: number;
  /** How long versions of the past can be read. */
  readonly historyRetentionMs: number;
  /** Workflows that are executed at the same time, of all tenants and of each. 0: no limit. */
  readonly runningWorkflows: number;
  readonly runningWorkflowsPerTenant: number;
  /** Bytes of all files of one site, unpacked. */
  readonly siteBytes: number;
  /** Entries of the archive of one site, folders included. */
  readonly siteEntries: number;
  /** How long the process of a service may take to begin a response through the reverse proxy. */
  readonly proxyTimeoutMs: number;
  /** Bytes of the body of a request through the reverse proxy. */
  readonly proxyMaxBytes: number;
}

const gibibyte = 1024 ** 3;
const hourMs = 3_600_000;

export const defaultSettings: OrdersSettings = {
  artifactBytes: 100 * gibibyte,
  artifactMaxBytes: 5 * gibibyte,
  unfinishedUploads: 100,
  messageBytes: 64 * 1024 * 1024,
  records: 100_000,
  runningOrders: 100,
  runningWorkflows: 0,
  runningWorkflowsPerTenant: 0,
  sites: 100,
  processes: 20,
  uploadExpiryMs: 24 * hourMs,
  historyRetentionMs: 7 * 24 * hourMs,
  siteBytes: gibibyte / 4,
  siteEntries: 20_000,
  proxyTimeoutMs: 120_000,
  proxyMaxBytes: gibibyte,
};
