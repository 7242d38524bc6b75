/** Settings for traffic that no policy covers. */
export interface MeshTraffic {
  /** What happens to connections to destinations other than callable services. */
  readonly egress: 'passthrough' | 'deny';
  /**
   * Whether workloads accept connections without TLS. Policies do not apply to these, because their callers are not
   * authenticated.
   */
  readonly mtls: 'strict' | 'permissive';
}

/** The ports that an Envoy listens on, and the plaintext ports of its workload. */
export interface ProxyPorts {
  /** Port to which outbound connections of the workload are redirected. */
  readonly outbound: number;
  /** Port to which inbound connections of the workload are redirected. */
  readonly inbound: number;
  /** Ports of the workload that accept connections without TLS, for probes and metrics. Sorted. */
  readonly plaintext: readonly number[];
}

export const defaultMeshTraffic: MeshTraffic = { egress: 'passthrough', mtls: 'strict' };
export const defaultProxyPorts: ProxyPorts = { outbound: 15_001, inbound: 15_003, plaintext: [] };
