/** Why a client refused what it was sent. */
export interface ErrorDetail {
  /** Of google.rpc.Code. */
  readonly code: number;
  readonly message: string;
}

/** A request of the state-of-the-world protocol. Who sent it is settled before. */
export interface DiscoveryRequest {
  /** The version that the client runs. */
  readonly versionInfo: string;
  /** The complete subscription. Nobody changes it: requests that name the same may share it. */
  readonly resourceNames: readonly string[];
  /** Empty on a stream of a single type. */
  readonly typeUrl: string;
  /** Of the response that is answered; empty for none. */
  readonly responseNonce: string;
  /** Present when that response was refused. */
  readonly errorDetail?: ErrorDetail;
}

/** A request of the incremental protocol. Who sent it is settled before. */
export interface DeltaDiscoveryRequest {
  readonly typeUrl: string;
  readonly resourceNamesSubscribe: readonly string[];
  readonly resourceNamesUnsubscribe: readonly string[];
  /** What a reconnecting client has: versions by name. Heeded in the first request of a type only. */
  readonly initialResourceVersions: ReadonlyMap<string, string>;
  readonly responseNonce: string;
  readonly errorDetail?: ErrorDetail;
}

/** Whether each request tells the whole subscription or only what is different. */
export type StreamMode = 'sotw' | 'delta';

/** Why a stream is ended by the server. The codes are those of gRPC. */
export interface StreamError {
  readonly code: 'INVALID_ARGUMENT' | 'RESOURCE_EXHAUSTED' | 'INTERNAL';
  readonly message: string;
}

/** The transport of one connected stream. */
export interface StreamPort {
  /**
   * Takes an encoded response as gRPC frames it, in any case. False when the transport's buffer is now full. The bytes
   * are shared with other streams and must not be changed.
   */
  send(frame: Uint8Array): boolean;
  /** Calls back once, when the buffer has drained. */
  onDrain(callback: () => void): void;
  /** Ends the stream. Nothing is sent afterwards; `close` of the open stream may still be called. */
  end(error: StreamError): void;
}
