/** How the service manager behaves. All times in milliseconds. */
export interface BrokerSettings {
  /** Between two polls of a broker. */
  readonly pollingIntervalMs: number;
  /** The maximum time that a broker may report "in progress". A plan may set less. */
  readonly maximumPollingMs: number;
  /** How long a request with async=false may stay open. */
  readonly requestTimeoutMs: number;
  /** Between attempts to remove what a failed creation may have left, and when they become rare. */
  readonly mitigationIntervalMs: number;
  readonly mitigationLongIntervalMs: number;
  readonly mitigationLongAfterMs: number;
  /** After which attempts end and a person must look. */
  readonly reconciliationTimeoutMs: number;
  readonly cascadeMitigationTimeoutMs: number;
  /** How long ended operations are kept, and how often they are looked for. */
  readonly operationLifespanMs: number;
  readonly cleanupIntervalMs: number;
  /** The interval of periodic catalog fetches. 0: never. */
  readonly catalogIntervalMs: number;
  /** Within which a proxy must have pinged. */
  readonly maxPingPeriodMs: number;
  /** Events that a proxy may be behind and still catch up. */
  readonly notificationQueueSize: number;
  /** Whether instances of platforms may be taken over by the service manager. */
  readonly enableInstanceTransfer: boolean;
  /** Label keys that cannot be set. */
  readonly protectedLabels: readonly string[];
  /** Query parameters of offering and plan lists that are refused with 501. */
  readonly disabledQueryParameters: readonly string[];
  /** `100-S:/v1/service_instances:POST`, comma-separated; empty: no limits. */
  readonly rateLimit: string;
  /** Platform names and users that are not limited. */
  readonly rateLimitExempt: readonly string[];
  /** PEM. Signs the contexts that brokers get. Default: contexts are not signed. */
  readonly contextPrivateKey?: string;
  /** PEM, shown in /v1/info beside the public half of the key above. */
  readonly contextSuccessorPublicKey?: string;
  /** PEM. Shown to brokers that ask for the certificate of the service manager. */
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  /** Which versions of which proxies are supported, for /v1/agents/versions. */
  readonly agentVersions: Readonly<Record<string, readonly string[]>>;
  /** Other words for the type of the own platform in a plan's `supportedPlatforms`. */
  readonly ownPlatformTypes: readonly string[];
  /**
   * Where brokers may be besides at public addresses: ranges (`10.0.0.0/8`, `fd00::/8`), addresses and names of hosts. Others
   * at private, link-local, metadata, shared (CGNAT), multicast or reserved addresses are neither registered nor called.
   */
  readonly allowedBrokerAddresses: readonly string[];
  /** Whether brokers at loopback addresses may be called. Default: whether the server itself listens on loopback. */
  readonly allowLoopbackBrokers: boolean;
  /** Whether plain HTTP and loopback brokers are accepted. */
  readonly allowInsecureBrokers: boolean;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

export const defaultBrokerSettings: BrokerSettings = {
  pollingIntervalMs: 4 * second,
  maximumPollingMs: 7 * 24 * hour,
  requestTimeoutMs: 10 * minute,
  mitigationIntervalMs: 10 * second,
  mitigationLongIntervalMs: hour,
  mitigationLongAfterMs: 30 * minute,
  reconciliationTimeoutMs: 7 * 24 * hour,
  cascadeMitigationTimeoutMs: 6 * hour,
  operationLifespanMs: 7 * 24 * hour,
  cleanupIntervalMs: hour,
  catalogIntervalMs: 0,
  maxPingPeriodMs: 30 * second,
  notificationQueueSize: 100,
  enableInstanceTransfer: true,
  protectedLabels: [],
  disabledQueryParameters: [],
  rateLimit: '',
  rateLimitExempt: [],
  agentVersions: {},
  ownPlatformTypes: ['service-manager'],
  allowedBrokerAddresses: [],
  allowLoopbackBrokers: true,
  allowInsecureBrokers: true,
};
