import type { ServiceName } from './service-name.ts';

/** A service account of the mesh, on whatever cluster. */
export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** Which requests; all parts that are given must hold. */
export interface HttpMatch {
  readonly name: string;
  /** RE2; holds when it matches the beginning of the path. Undefined: any path. */
  readonly pathRegex?: string;
  /** Upper case; empty: any. */
  readonly methods: readonly string[];
  /** Header name in lower case to RE2, which must match the whole value. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface WeightedService {
  readonly service: ServiceName;
  /** Relative to the others; a whole number, 0 or more. */
  readonly weight: number;
}

/** How the traffic to a service is divided. */
export interface TrafficSplit {
  /** `namespace/name` of the object, for people. */
  readonly source: string;
  readonly root: ServiceName;
  readonly backends: readonly WeightedService[];
  /** Only requests of one of these are divided, the others go to the root. Undefined: all are divided. */
  readonly matches?: readonly HttpMatch[];
}

/** Who may call a service account, and for what. Everything that no target allows is denied. */
export interface TrafficTarget {
  /** `namespace/name` of the object, for people. */
  readonly source: string;
  readonly destination: ServiceAccountName;
  readonly sources: readonly ServiceAccountName[];
  /** Requests that are allowed on HTTP ports; empty: none by this target. */
  readonly http: readonly HttpMatch[];
  /** Ports of services, as clients know them, to which `http` is limited. Undefined: all HTTP ports. */
  readonly httpPorts?: readonly number[];
  /** Ports of services, as clients know them, on which connections are allowed. Undefined: none by this target. */
  readonly tcpPorts?: readonly number[] | 'all';
}
