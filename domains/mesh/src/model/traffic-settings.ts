/** What a mesh says of traffic that no policy is about. */
export interface MeshTraffic {
  /** What becomes of connections of workloads to destinations that are no services which they may call. */
  readonly egress: 'passthrough' | 'deny';
  /** Whether workloads take connections without TLS. Those are let through without policies, as nobody proves anything. */
  readonly mtls: 'strict' | 'permissive';
}

/** Where an Envoy listens, and which ports of its workload are open to anybody. */
export interface ProxyPorts {
  /** Where connections of the workload are redirected to. */
  readonly outbound: number;
  /** Where connections to the workload are redirected to. */
  readonly inbound: number;
  /** Ports of the workload that take connections without TLS from anybody, as for probes and metrics. Sorted. */
  readonly plaintext: readonly number[];
}

export const defaultMeshTraffic: MeshTraffic = { egress: 'passthrough', mtls: 'strict' };
export const defaultProxyPorts: ProxyPorts = { outbound: 15_001, inbound: 15_003, plaintext: [] };
