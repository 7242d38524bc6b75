import type { WorkloadIdentity } from './identity.ts';
import type { HealthCheck, ServicePort } from './mesh-service.ts';
import type { ServiceName } from './service-name.ts';
import type { HttpMatch, WeightedService } from './topology.ts';
import type { MeshTraffic, ProxyPorts } from './traffic-settings.ts';

/** The form of configuration that a client expects: that of Envoy, or of proxyless gRPC. */
export type Dialect = 'envoy' | 'grpc';

/** A service that a proxy may call. */
export interface OutboundService {
  readonly service: ServiceName;
  readonly ports: readonly ServicePort[];
  readonly addresses: readonly string[];
  /** SPIFFE ids of its accounts, sorted. */
  readonly principals: readonly string[];
  /** Active health check of its endpoints. Default: none. */
  readonly healthCheck?: HealthCheck;
  /** Whether it is called without TLS of the mesh. Default false. */
  readonly isUnproxied?: boolean;
  /** Default: all traffic goes to the service itself. */
  readonly split?: OutboundSplit;
}

export interface OutboundSplit {
  /** `namespace/name` of the TrafficSplit. */
  readonly source: string;
  /** Sorted by name. Backends that the proxy may not call are left out. */
  readonly backends: readonly WeightedService[];
  /** Default: the split applies to all requests. */
  readonly matches?: readonly HttpMatch[];
}

/** A service port of the workload behind the proxy. */
export interface InboundPort extends ServicePort {
  readonly service: ServiceName;
  /** The port that the workload listens on. */
  readonly targetPort: number;
}

/** The access that one TrafficTarget, or the binding of a service instance, allows. */
export interface InboundRule {
  /** `namespace/name` of the TrafficTarget; `ServiceBinding namespace/name to namespace/service` for a binding. */
  readonly source: string;
  /** SPIFFE ids of the callers, in all valid trust domains, sorted; never empty. */
  readonly principals: readonly string[];
  readonly http: readonly HttpMatch[];
  /** Target ports to which `http` is limited. Default: all HTTP ports. */
  readonly httpPorts?: readonly number[];
  /** Target ports. */
  readonly tcpPorts?: readonly number[] | 'all';
}

/** The callers of a workload that policies allow. */
export interface InboundPolicy {
  readonly ports: readonly InboundPort[];
  /** Sorted by source. Without rules all calls are denied, unless the mesh is permissive. */
  readonly rules: readonly InboundRule[];
}

/** The common inputs of all proxies of one identity on one cluster. */
export interface ProxyScope {
  readonly identity: WorkloadIdentity;
  readonly dialect: Dialect;
  /** All accounts of the tenant may call each other; policies are not enforced. */
  readonly isPermissive: boolean;
  /** Absolute path of the folder from which Envoys read the workload's certificate. */
  readonly certificateFolder: string;
  readonly traffic: MeshTraffic;
  readonly ports: ProxyPorts;
}
