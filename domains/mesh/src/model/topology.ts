import type { ServiceName } from './service-name.ts';

/** A service account of the mesh, independent of its cluster. */
export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** A condition on requests; all given fields must match. */
export interface HttpMatch {
  readonly name: string;
  /** RE2 that must match a prefix of the path. Default: any path. */
  readonly pathRegex?: string;
  /** Upper case. Empty: any method. */
  readonly methods: readonly string[];
  /** RE2 by header name in lower case; it must match the whole value. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface WeightedService {
  readonly service: ServiceName;
  /** Relative to the other weights; an integer ≥ 0. */
  readonly weight: number;
}

/** The distribution of the traffic to a service. */
export interface TrafficSplit {
  /** `namespace/name` of the object. */
  readonly source: string;
  readonly root: ServiceName;
  readonly backends: readonly WeightedService[];
  /** The split applies to requests that match one of these, others go to the root. Default: all requests. */
  readonly matches?: readonly HttpMatch[];
}

/** Access to one service, which the binding of a service instance gives to an account. */
export interface ServiceGrant {
  /** `namespace/name` of the ServiceBinding. */
  readonly source: string;
  readonly consumer: ServiceAccountName;
  /** The cluster of the account. Default: any cluster of the mesh. */
  readonly cluster?: string;
}

/** The callers of a service account and the calls that they may make. Calls that no target allows are denied. */
export interface TrafficTarget {
  /** `namespace/name` of the object. */
  readonly source: string;
  readonly destination: ServiceAccountName;
  readonly sources: readonly ServiceAccountName[];
  /** Requests that are allowed on HTTP ports. Empty: none. */
  readonly http: readonly HttpMatch[];
  /** Service ports to which `http` is limited. Default: all HTTP ports. */
  readonly httpPorts?: readonly number[];
  /** Service ports on which TCP connections are allowed. Default: none. */
  readonly tcpPorts?: readonly number[] | 'all';
}
