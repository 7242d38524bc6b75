/**
 * What the REST API of the mesh (`/mesh/v1`) responds with, for the server and its clients. Fields are added, never
 * removed. Names of services, accounts and policies in one text are `namespace/name`; times are ISO 8601.
 */

/** A service by its name. */
export interface NamedService {
  readonly namespace: string;
  readonly name: string;
}

export interface ShownPort {
  /** Empty for a single, unnamed port. */
  readonly name: string;
  readonly port: number;
  readonly protocol: 'http' | 'tcp';
}

/** A share of the traffic of a service. */
export interface WeightedBackend {
  readonly service: NamedService;
  readonly weight: number;
}

/** How a TrafficSplit divides the traffic of a service. */
export interface ShownSplit {
  readonly source: string;
  readonly backends: readonly WeightedBackend[];
}

export type Health = 'healthy' | 'unhealthy' | 'draining';

/** The mesh of a cluster. */
export interface MeshInfo {
  readonly mesh: string;
  readonly clusters: readonly { readonly name: string; readonly region?: string }[];
  /** The cluster that holds the policies. */
  readonly topologyCluster: string;
  readonly isPermissive: boolean;
  readonly egress: string;
  readonly mtls: string;
}

/** A policy that gives access. */
export interface PolicyName {
  readonly kind: 'TrafficTarget' | 'ServiceBinding';
  readonly name: string;
}

/** A service in a graph. */
export interface GraphService extends NamedService {
  readonly ports: readonly ShownPort[];
  readonly clusters: readonly string[];
  readonly serviceAccounts: readonly string[];
  /** How many endpoints are in which health. */
  readonly endpoints: Readonly<Partial<Record<Health, number>>>;
  readonly split?: ShownSplit;
  /** A service instance that no proxy of the mesh protects. Default false. */
  readonly isUnproxied?: boolean;
}

/** A call that policies decide about. */
export interface GraphCall {
  /** The account that calls. */
  readonly from: string;
  /** The service that is called. */
  readonly to: string;
  /** `some`: for some requests or ports; the explanation of a call says for which. */
  readonly access: 'all' | 'some' | 'none';
  /** The policies that give the access, or that concern the two and give none. */
  readonly policies: readonly PolicyName[];
  /** One sentence for display. */
  readonly why: string;
}

/** Services, and who may call whom. */
export interface MeshGraph {
  readonly isPermissive: boolean;
  /** Sorted by name, the one in focus first. */
  readonly services: readonly GraphService[];
  readonly calls: readonly GraphCall[];
  /** How many services the selection has, on all pages. */
  readonly total: number;
  /** Whether there are more calls than a graph shows. */
  readonly isCut: boolean;
}

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
  readonly sentVersion?: string;
  readonly sentAt?: string;
  readonly ackedVersion?: string;
  readonly ackedAt?: string;
  readonly error?: { readonly code: number; readonly message: string; readonly at: string };
}

/** A stream of a proxy, as the replica that serves it shows it. A proxy with a stream per type has several. */
export interface ReplicaStream {
  readonly nodeId: string;
  readonly identity: string;
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly cluster: string;
  readonly dialect: string;
  readonly peer: string;
  readonly mode: string;
  /** The type of the stream. Default: all of them. */
  readonly only?: string;
  readonly connectedAt: string;
  readonly certificate?: { readonly root: string; readonly notAfter?: string };
  readonly types: readonly ProxyType[];
}

/** A stream of a proxy, and the replica that serves it. */
export interface ProxyStream extends ReplicaStream {
  readonly replica: string;
}

/** The proxies that are connected to a mesh. */
export interface ProxyList {
  readonly mesh: string;
  readonly items: readonly ProxyStream[];
  /** Replicas that did not respond in time. Default: none. */
  readonly silentReplicas?: readonly string[];
}

/** An address that serves a service. */
export interface ShownEndpoint {
  readonly ip: string;
  readonly port: number;
  readonly portName: string;
  readonly health: Health;
  /** The cluster, or the cloud: of a set of machines, its name unless it names one. */
  readonly cluster: string;
  /** Whether `cluster` is a cloud, because no cluster of the mesh has this name. Default: false. */
  readonly isCloud?: boolean;
  readonly region?: string;
  readonly zone?: string;
  readonly weight?: number;
  readonly serviceAccount?: string;
  /** The pod or machine. */
  readonly source?: string;
  /** The endpoints provider that knows it. */
  readonly provider?: string;
}

/** A service and its endpoints. */
export interface ServiceEndpoints extends NamedService {
  readonly ports: readonly ShownPort[];
  readonly addresses: readonly string[];
  readonly clusters: readonly string[];
  readonly serviceAccounts: readonly string[];
  readonly split?: ShownSplit;
  readonly endpoints: readonly ShownEndpoint[];
  /** Providers whose data may be stale. */
  readonly staleProviders: readonly { readonly id: string; readonly reason: string }[];
}

/** A policy that does not allow a call, and the condition that fails. */
export interface NearMiss {
  /** The TrafficTarget. */
  readonly target: string;
  /** The match of its routes. Default: the target has none for the port. */
  readonly match?: string;
  readonly why: string;
}

/** Whether a service allows a call, and why. */
export interface AccessExplanation {
  readonly isAllowed: boolean;
  /** One sentence for display. */
  readonly message: string;
  /** The accounts behind the service. */
  readonly accounts: readonly string[];
  /** A target with the match of its routes, or a ServiceBinding. */
  readonly allowedBy?: { readonly target: string; readonly match?: string } | { readonly binding: string };
  readonly nearMisses: readonly NearMiss[];
}

/** A destination of a part of the traffic, and whether it allows the call. */
export interface ExplainedDestination {
  readonly service: NamedService;
  /** From 0 to 1. */
  readonly share: number;
  readonly access: AccessExplanation;
}

/** Whether a call is allowed, and why. */
export interface Explanation {
  /** `partly`: some destinations with a share of the traffic would deny the call; proxies leave them out. */
  readonly verdict: 'allowed' | 'partly' | 'denied';
  /** One sentence for display. */
  readonly message: string;
  readonly port?: ShownPort;
  /** The TrafficSplit of the service. `applies`: whether it covers this call. */
  readonly split?: { readonly source: string; readonly applies: boolean; readonly why: string };
  readonly destinations: readonly ExplainedDestination[];
}

/** A root of trust, as everyone in the mesh may know it. */
export interface ShownRoot {
  /** SHA-256, hexadecimal. */
  readonly fingerprint: string;
  readonly subject: string;
  readonly notBefore: string;
  readonly notAfter: string;
  /** Whether it signs new certificates; the others are trusted only. */
  readonly isSigning: boolean;
}

/** The certificate of a connected proxy. */
export interface ShownCertificate {
  readonly identity: string;
  readonly nodeId: string;
  readonly cluster: string;
  readonly replica: string;
  /** Fingerprint of its root. */
  readonly root: string;
  readonly notAfter?: string;
}

/** Roots of trust, and the certificates with which proxies are connected, those first that expire next. */
export interface CertificateList {
  readonly mesh: string;
  readonly trustDomains: readonly string[];
  readonly roots: readonly ShownRoot[];
  readonly items: readonly ShownCertificate[];
  readonly silentReplicas?: readonly string[];
}
