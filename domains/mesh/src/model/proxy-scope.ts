import type { WorkloadIdentity } from './identity.ts';
import type { HealthCheck, ServicePort } from './mesh-service.ts';
import type { ServiceName } from './service-name.ts';
import type { HttpMatch, WeightedService } from './topology.ts';
import type { MeshTraffic, ProxyPorts } from './traffic-settings.ts';

/** How a client wants its configuration: Envoy's way, or that of gRPC libraries without a proxy. */
export type Dialect = 'envoy' | 'grpc';

/** A service that a proxy may call. */
export interface OutboundService {
  readonly service: ServiceName;
  readonly ports: readonly ServicePort[];
  readonly addresses: readonly string[];
  /** SPIFFE ids of everybody who backs it, sorted. */
  readonly principals: readonly string[];
  /** How its endpoints are tried. Default: only calls tell. */
  readonly healthCheck?: HealthCheck;
  /** Undefined: everything goes to the service itself. */
  readonly split?: OutboundSplit;
}

export interface OutboundSplit {
  /** `namespace/name` of the TrafficSplit. */
  readonly source: string;
  /** Sorted by name. A backend that the proxy may not call is left out. */
  readonly backends: readonly WeightedService[];
  /** Undefined: all requests are divided. */
  readonly matches?: readonly HttpMatch[];
}

/** A port on which the workload behind the proxy is called. */
export interface InboundPort extends ServicePort {
  readonly service: ServiceName;
  /** Where the workload itself listens. */
  readonly targetPort: number;
}

/** What one TrafficTarget allows. */
export interface InboundRule {
  /** `namespace/name` of the TrafficTarget. */
  readonly source: string;
  /** SPIFFE ids of the callers, in all trust domains that hold, sorted; never empty. */
  readonly principals: readonly string[];
  readonly http: readonly HttpMatch[];
  /** Ports where the workload listens to which `http` is limited. Undefined: all HTTP ports. */
  readonly httpPorts?: readonly number[];
  /** Ports where the workload listens. */
  readonly tcpPorts?: readonly number[] | 'all';
}

/** Who may call the workload. */
export interface InboundPolicy {
  readonly ports: readonly InboundPort[];
  /** Sorted by source. None: nobody may call, unless the mesh is permissive. */
  readonly rules: readonly InboundRule[];
}

/** What all proxies of one identity on one cluster have in common. */
export interface ProxyScope {
  readonly identity: WorkloadIdentity;
  readonly dialect: Dialect;
  /** Everybody may call everybody: policies are not enforced. */
  readonly isPermissive: boolean;
  /** The absolute path of the folder from which Envoys read the workload's certificate. */
  readonly certificateFolder: string;
  readonly traffic: MeshTraffic;
  readonly ports: ProxyPorts;
}
