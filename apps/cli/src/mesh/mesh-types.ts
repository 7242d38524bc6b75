/** How a proxy stands with what it was told of a type. */
export type SyncState = 'SYNCED' | 'NOT_SENT' | 'STALE' | 'ERROR';

/** What the mesh says of one type of configuration and one stream. */
export interface ProxyType {
  readonly type: string;
  readonly state: SyncState;
  /** `*`, or how many names. */
  readonly subscribed: '*' | number;
  readonly isInFlight: boolean;
  readonly counts: { readonly sent: number; readonly acked: number; readonly refused: number };
  readonly sentAt?: string;
  readonly error?: { readonly code: number; readonly message: string; readonly at: string };
}

/** A stream of a proxy. One that asks for each type on a stream of its own has several. */
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
  /** Replicas of the control plane that did not say who is connected to them. Default: all did. */
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

/** A service and where it runs. */
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
  /** Whose answers may be old. */
  readonly staleProviders: readonly { readonly id: string; readonly reason: string }[];
}

/** Something that nearly allows a call. */
export interface NearMiss {
  /** `namespace/name` of the TrafficTarget. */
  readonly target: string;
  readonly match?: string;
  readonly why: string;
}

/** Where a part of the traffic goes, and whether it is let in there. */
export interface ExplainedDestination {
  readonly service: { readonly namespace: string; readonly name: string };
  /** From 0 to 1. */
  readonly share: number;
  readonly access: {
    readonly isAllowed: boolean;
    readonly message: string;
    readonly accounts: readonly string[];
    readonly allowedBy?: { readonly target: string; readonly match?: string };
    readonly nearMisses: readonly NearMiss[];
  };
}

/** What becomes of a call, and why. */
export interface Explanation {
  /** `partly`: some of those that get a share would refuse it; proxies leave them out. */
  readonly verdict: 'allowed' | 'partly' | 'denied';
  readonly message: string;
  readonly port?: { readonly name: string; readonly port: number; readonly protocol: string };
  readonly split?: { readonly source: string; readonly applies: boolean; readonly why: string };
  readonly destinations: readonly ExplainedDestination[];
}

/** A key that was signed. All PEM but the rest. */
export interface SignedCertificate {
  /** Leaf first. */
  readonly certificate: string;
  /** Of a proxy: that of its workload, for the same key. Default: the landscape is an older one. */
  readonly workloadCertificate?: string;
  readonly trustBundle: string;
  /** Of the trust under which it was signed. */
  readonly trustVersion: string;
  readonly notAfter: string;
  readonly spiffeId: string;
  readonly tenant: string;
}
