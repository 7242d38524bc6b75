/** The complete response of a broker. */
export interface BrokerResponse {
  readonly status: number;
  /** Names in lower case; several values are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Why there is no answer. The code of the `ChandleryError` that a call rejects with; its message names the broker, not its credentials. */
export const brokerFailureCodes = {
  /** The broker cannot have seen the request: refused, no such host, TLS refused. */
  BrokerUnreachable: 'BrokerUnreachable',
  /** Not sent: the operator's settings do not allow calls to where the broker is. */
  BrokerAddressNotAllowed: 'BrokerAddressNotAllowed',
  /** Not sent: the queue is full, the rate is exhausted or the circuit breaker is open. Carries retryAfterSeconds. */
  BrokerBusy: 'BrokerBusy',
  /** No whole answer within the time. The broker may have done what it was asked to. */
  BrokerTimeout: 'BrokerTimeout',
  /** The connection broke under way. The broker may have done what it was asked to. */
  BrokerConnectionLost: 'BrokerConnectionLost',
} as const;
