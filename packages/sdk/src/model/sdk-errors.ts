/** The codes of errors that this package throws. */
export const sdkErrorCodes = {
  /** A request with our name belongs to another owner. */
  NotManaged: 'NotManaged',
  /** A request for access to a cluster was denied. */
  AccessDenied: 'AccessDenied',
  /** Access to a cluster was not granted in time. */
  AccessTimeout: 'AccessTimeout',
  /** The Secret of an AccessRequest has no kubeconfig. */
  AccessIncomplete: 'AccessIncomplete',
  /** A service uses a cluster that its definition does not require, or that is deleted. */
  ClusterUnavailable: 'ClusterUnavailable',
  /** A definition contradicts itself. */
  InvalidDefinition: 'InvalidDefinition',
  /** The command line cannot be understood. */
  UsageError: 'UsageError',
  /** There is no ServiceProvider of the provider's name. */
  ProviderUnknown: 'ProviderUnknown',
} as const;
/** One of {@link sdkErrorCodes}. */
export type SdkErrorCode = keyof typeof sdkErrorCodes;
