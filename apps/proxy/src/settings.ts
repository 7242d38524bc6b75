/** How a proxy behaves. */
export interface ProxySettings {
  /** How many brokers or plans are changed at the platform at a time. */
  readonly maxParallelRequests: number;
  /** Brokers that the platform has registered itself become ours. */
  readonly isTakeoverEnabled: boolean;
  /** Every broker gets credentials of its own. Otherwise all have the platform's. */
  readonly areBrokerCredentialsEnabled: boolean;
  /** Names of brokers that are left alone. */
  readonly brokerBlackList: readonly string[];
  /** Of how many brokers visibilities are compared at once; 0: all. */
  readonly visibilityBrokerChunkSize: number;
  readonly resyncPeriodMs: number;
  /** How old credentials may get; 0: any age. */
  readonly rotateCredentialsAfterMs: number;
  /** How long former credentials hold after the platform took new ones, so that calls under way can end. */
  readonly credentialOverlapMs: number;
  readonly namePrefix: string;
  /** Former addresses below which brokers were registered, as `https://proxy.example/v1/osb`. */
  readonly legacyOsbUrls: readonly string[];
  readonly reconnectDelayMs: number;
  readonly pongTimeoutMs: number;
  readonly minPingPeriodMs: number;
  readonly requestTimeoutMs: number;
  /** After the first failure of something; doubled with each further one. */
  readonly retryDelayMs: number;
  readonly maxRetryDelayMs: number;
}

const hourMs = 3_600_000;

/** What holds where nothing else is said. */
export const defaultSettings: ProxySettings = {
  maxParallelRequests: 5,
  isTakeoverEnabled: true,
  areBrokerCredentialsEnabled: true,
  brokerBlackList: [],
  visibilityBrokerChunkSize: 0,
  resyncPeriodMs: 12 * hourMs,
  rotateCredentialsAfterMs: 0,
  credentialOverlapMs: 2000,
  namePrefix: 'sm-',
  legacyOsbUrls: [],
  reconnectDelayMs: 3000,
  pongTimeoutMs: 2000,
  minPingPeriodMs: 1000,
  requestTimeoutMs: 60_000,
  retryDelayMs: 1000,
  maxRetryDelayMs: 300_000,
};
