/** The state of a resource type on a proxy. */
export type SyncState = 'SYNCED' | 'NOT_SENT' | 'STALE' | 'ERROR';

/** The status of one resource type on one stream. */
export interface ProxyType {
  readonly type: string;
  readonly state: SyncState;
  /** `*`, or the number of names. */
  readonly subscribed: '*' | number;
  readonly isInFlight: boolean;
  readonly counts: { readonly sent: number; readonly acked: number; readonly refused: number };
  readonly sentAt?: string;
  readonly error?: { readonly code: number; readonly message: string; readonly at: string };
}

/** A stream of a proxy. A proxy with a stream per type has several. */
export interface ProxyStream {
  readonly nodeId: string;
  readonly identity: string;
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly cluster: string;
  readonly dialect: string;
  readonly types: readonly ProxyType[];
}

export interface ProxyList {
  readonly mesh: string;
  readonly items: readonly ProxyStream[];
  /** Replicas that did not respond. Default: none. */
  readonly silentReplicas?: readonly string[];
}

/** An address that serves a service. */
export interface MeshEndpoint {
  readonly ip: string;
  readonly port: number;
  readonly portName: string;
  readonly health: string;
  readonly cluster: string;
  readonly region?: string;
  readonly zone?: string;
  readonly weight?: number;
  readonly serviceAccount?: string;
  readonly source?: string;
}

export interface WeightedBackend {
  readonly service: { readonly namespace: string; readonly name: string };
  readonly weight: number;
}

/** A service and its endpoints. */
export interface ServiceEndpoints {
  readonly namespace: string;
  readonly name: string;
  readonly ports: readonly { readonly name: string; readonly port: number; readonly protocol: string }[];
  readonly addresses: readonly string[];
  readonly clusters: readonly string[];
  /** `namespace/name`. */
  readonly serviceAccounts: readonly string[];
  readonly split?: { readonly source: string; readonly backends: readonly WeightedBackend[] };
  readonly endpoints: readonly MeshEndpoint[];
  /** Providers whose data may be stale. */
  readonly staleProviders: readonly { readonly id: string; readonly reason: string }[];
}

/** A policy that does not allow a call. */
export interface NearMiss {
  /** `namespace/name` of the TrafficTarget. */
  readonly target: string;
  readonly match?: string;
  readonly why: string;
}

/** A destination of a part of the traffic, and whether it allows the call. */
export interface ExplainedDestination {
  readonly service: { readonly namespace: string; readonly name: string };
  /** From 0 to 1. */
  readonly share: number;
  readonly access: {
    readonly isAllowed: boolean;
    readonly message: string;
    readonly accounts: readonly string[];
    readonly allowedBy?: { readonly target: string; readonly match?: string } | { readonly binding: string };
    readonly nearMisses: readonly NearMiss[];
  };
}

/** Whether a call is allowed, and why. */
export interface Explanation {
  /** `partly`: some destinations would deny it; proxies leave them out. */
  readonly verdict: 'allowed' | 'partly' | 'denied';
  readonly message: string;
  readonly port?: { readonly name: string; readonly port: number; readonly protocol: string };
  readonly split?: { readonly source: string; readonly applies: boolean; readonly why: string };
  readonly destinations: readonly ExplainedDestination[];
}

/** A signed certificate; certificates are PEM. */
export interface SignedCertificate {
  /** Leaf first. */
  readonly certificate: string;
  /** For a proxy: the certificate of its workload for the same key. Default: the landscape is an older one. */
  readonly workloadCertificate?: string;
  readonly trustBundle: string;
  /** Trust version at the time of signing. */
  readonly trustVersion: string;
  readonly notAfter: string;
  readonly spiffeId: string;
  readonly tenant: string;
}
