/** Why a client rejected a response. */
export interface ErrorDetail {
  /** Code of google.rpc.Code. */
  readonly code: number;
  readonly message: string;
}

/** A request of the state-of-the-world protocol, of an authenticated client. */
export interface DiscoveryRequest {
  /** The version that the client has applied. */
  readonly versionInfo: string;
  /** The complete subscription. Not to be modified: requests with equal names share the list. */
  readonly resourceNames: readonly string[];
  /** Empty on a stream of a single type. */
  readonly typeUrl: string;
  /** Nonce of the response that the request refers to; empty for none. */
  readonly responseNonce: string;
  /** Present when the client rejected that response. */
  readonly errorDetail?: ErrorDetail;
}

/** A request of the incremental protocol, of an authenticated client. */
export interface DeltaDiscoveryRequest {
  readonly typeUrl: string;
  readonly resourceNamesSubscribe: readonly string[];
  readonly resourceNamesUnsubscribe: readonly string[];
  /** Versions by name that a reconnecting client has. Used in the first request of a type only. */
  readonly initialResourceVersions: ReadonlyMap<string, string>;
  readonly responseNonce: string;
  readonly errorDetail?: ErrorDetail;
}

/** Whether a request has the whole subscription (state of the world) or its difference (incremental). */
export type StreamMode = 'sotw' | 'delta';

/** Why the server ends a stream. The codes are those of gRPC. */
export interface StreamError {
  readonly code: 'INVALID_ARGUMENT' | 'RESOURCE_EXHAUSTED' | 'INTERNAL';
  readonly message: string;
}

/** The transport of one stream. */
export interface StreamPort {
  /**
   * Sends a framed response. Returns false when the transport's buffer is full; the frame is accepted nevertheless.
   * Frames are shared with other streams and must not be modified.
   */
  send(frame: Uint8Array): boolean;
  /** Calls back once, when the buffer has drained. */
  onDrain(callback: () => void): void;
  /** Ends the stream. Nothing is sent afterwards; `close` of the open stream may still be called. */
  end(error: StreamError): void;
}
