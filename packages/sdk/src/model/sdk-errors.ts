/** The codes of errors that this package throws. */
export const sdkErrorCodes = {
  /** A request of our name belongs to somebody else. */
  NotManaged: 'NotManaged',
  /** Somebody refused access to a cluster. */
  AccessDenied: 'AccessDenied',
  /** Access to a cluster did not come in time. */
  AccessTimeout: 'AccessTimeout',
  /** The Secret of an AccessRequest has no kubeconfig. */
  AccessIncomplete: 'AccessIncomplete',
  /** A service asks for a cluster that it did not wish for, or that is gone. */
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
