import type { JsonValue } from '@chandlery/api';
import type { ProxyIdentity } from './model/identity.ts';
import type { Dialect } from './model/proxy-scope.ts';
import type { EncodedResource, ResourceType } from './model/resource.ts';
import type { ProxyPorts } from './model/traffic-settings.ts';
import type { Unsubscribe } from './ports/unsubscribe.ts';

export type { AnnouncedEndpoints, EndpointsProvider, ServiceDirectory } from './ports/endpoints.ts';
export type { MeshTopology, TopologyChange } from './ports/mesh-topology.ts';
export type { Unsubscribe } from './ports/unsubscribe.ts';

/** A client of the control plane. */
export interface Proxy {
  /** As it calls itself (`node.id`). */
  readonly nodeId: string;
  readonly identity: ProxyIdentity;
  readonly dialect: Dialect;
  readonly region?: string;
  readonly zone?: string;
  /** What it says of where its workload is reached; nobody has looked at it yet. */
  readonly announcement?: JsonValue;
  /** Where it listens. Default: the usual ports. */
  readonly ports?: ProxyPorts;
  /** The absolute path of the folder with its certificates. Default: the usual one. */
  readonly certificateFolder?: string;
  /** Where it connects from. */
  readonly peer: string;
}

/** What changed in a view. */
export interface ViewChange {
  /** `performance.now()` when the change became known to this process. */
  readonly acceptedAt: number;
  /** Names that were added, changed or removed, by type; types without any are left out. */
  readonly changed: ReadonlyMap<ResourceType, ReadonlySet<string>>;
  /** Something goes away or falls ill: not to be held back. */
  readonly isUrgent: boolean;
}

/** Everything that one proxy is told. Proxies with the same rights in the same place share one. */
export interface ProxyView {
  /** Of everything of that type in the view; the same on every replica that knows the same. */
  version(type: ResourceType): string;
  /** What a wildcard subscription gets. Of types other than clusters and listeners: everything there is. */
  names(type: ResourceType): readonly string[];
  /** Undefined for what does not exist or is not for this proxy: the two cannot be told apart. */
  get(type: ResourceType, name: string): EncodedResource | undefined;
  /** Listeners are called after the view shows the change, in the same tick for all types that changed together. */
  subscribe(listener: (change: ViewChange) => void): Unsubscribe;
}

/** A proxy that is connected. */
export interface ConnectedProxy extends Disposable {
  readonly view: ProxyView;
  /** Aborted when the view is not kept up to date any longer: the proxy must connect anew. Shared by all of a mesh. */
  readonly closed: AbortSignal;
  /**
   * As disposing of it, for a proxy that was asked to connect again: what it announces stays for some seconds, in which it is
   * expected back.
   */
  releaseForReconnect(): void;
}

/** What the discovery server tells. */
export interface ProxyRegistry {
  /** Whether everything that a tenant's proxies are told from has been read; until then nothing may be told. */
  isReady(tenant: string): boolean;
  /** Resolves when {@link isReady}; rejects with `UnknownMesh` for a tenant without a mesh, and with the signal's reason. */
  ready(tenant: string, signal: AbortSignal): Promise<void>;
  /**
   * Registers a proxy and what it announces. Throws `NotReady`, `UnknownMesh`, and for announcements that cannot be taken
   * `InvalidRequest`, `PermissionDenied`.
   */
  registerProxy(proxy: Proxy): ConnectedProxy;
}

/** A certificate of the control plane itself, with its key: those of proxies and workloads stay with their owners. */
export interface ServerCertificate {
  /** PEM, leaf first. */
  readonly chain: string;
  /** PEM, PKCS #8. */
  readonly privateKey: string;
  readonly notAfter: Date;
}

/** Certifies the keys of workloads and proxies, and knows whom to believe. */
export interface MeshAuthority extends AsyncDisposable {
  /** Of new certificates. */
  readonly trustDomain: string;
  /** All that hold at present: more than one only while roots with different ones are exchanged. Sorted. */
  readonly trustDomains: readonly string[];
  /** SHA-256, hexadecimal, of the root that signs; undefined while none can. */
  readonly signerFingerprint: string | undefined;
  /** PEM of all roots that hold, in a stable order. */
  readonly trustBundle: string;
  /** Changes with the roots, their roles and trust domains; the same on every replica that knows the same. */
  readonly trustVersion: string;
  /** Signs the key of a request (PEM, PKCS #10); subject and extensions of the request are ignored. */
  sign(request: { readonly csr: string; readonly identity: ProxyIdentity; readonly ttlMs?: number }): {
    readonly chain: string;
    readonly notAfter: Date;
  };
  /** The certificate by which the control plane itself is known to proxies. */
  serverCertificate(names: readonly string[]): ServerCertificate;
  /** Calls the listener when {@link trustVersion} has changed. */
  subscribe(listener: () => void): Unsubscribe;
}

/** Knows what proxies, of all replicas, have taken over. A root is exchanged only as fast as they follow. */
export interface ProxyAcknowledgements {
  /**
   * Whether every connected proxy has acknowledged the secrets (roots) that it is told at present by a replica
   * whose {@link MeshAuthority.trustVersion} is this one. `waitingFor`: node ids of those that have not, sorted.
   */
  haveAllAcknowledged(
    trustVersion: string,
  ): Promise<{ readonly done: boolean; readonly waitingFor: readonly string[] }>;
  /** Node ids, sorted, of connected proxies that proved themselves by a certificate of the root (SHA-256, hexadecimal). */
  listCertifiedBy(rootFingerprint: string): Promise<readonly string[]>;
}
