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
  /** The name that it gives itself (`node.id`). */
  readonly nodeId: string;
  readonly identity: ProxyIdentity;
  readonly dialect: Dialect;
  readonly region?: string;
  readonly zone?: string;
  /** The endpoints that it announces for its workload, not validated yet. */
  readonly announcement?: JsonValue;
  /** The ports that it listens on. Default {@link defaultProxyPorts}. */
  readonly ports?: ProxyPorts;
  /** Absolute path of the folder with its certificates. Default {@link defaultCertificateFolder}. */
  readonly certificateFolder?: string;
  /** Remote address, `address:port`. */
  readonly peer: string;
}

/** A change of a view. */
export interface ViewChange {
  /** `performance.now()` when the change became known to this process. */
  readonly acceptedAt: number;
  /** Names that were added, changed or removed, by type; types without a change are left out. */
  readonly changed: ReadonlyMap<ResourceType, ReadonlySet<string>>;
  /** Whether an endpoint is removed or becomes unhealthy, or access is revoked: not to be debounced. */
  readonly isUrgent: boolean;
}

/** All configuration of one proxy. Proxies with the same identity in the same place share a view. */
export interface ProxyView {
  /** Version of all resources of the type in the view; replicas with the same data compute the same version. */
  version(type: ResourceType): string;
  /** Names that a wildcard subscription covers. For types other than clusters and listeners: all names. */
  names(type: ResourceType): readonly string[];
  /**
   * Returns undefined both for a missing resource and for one that the proxy may not have, so that the two cannot be
   * distinguished.
   */
  get(type: ResourceType, name: string): EncodedResource | undefined;
  /** Calls the listener after the view shows the change, in the same tick for all types that changed together. */
  subscribe(listener: (change: ViewChange) => void): Unsubscribe;
}

/** A registered proxy, until disposed of. */
export interface ConnectedProxy extends Disposable {
  readonly view: ProxyView;
  /** Aborted when the view is no longer kept up to date: the proxy must reconnect. Shared by all proxies of a mesh. */
  readonly closed: AbortSignal;
  /** Like disposing, for a proxy that was asked to reconnect: its announced endpoints stay for some seconds. */
  releaseForReconnect(): void;
}

/** Registers proxies and provides their views. */
export interface ProxyRegistry {
  /** Whether all data of the tenant's mesh has been read; before that, no configuration may be sent. */
  isReady(tenant: string): boolean;
  /** Resolves when {@link isReady}; rejects with `UnknownMesh` for a tenant without a mesh, and with the signal's reason. */
  ready(tenant: string, signal: AbortSignal): Promise<void>;
  /**
   * Registers a proxy and the endpoints that it announces. Throws `NotReady`, `UnknownMesh`, and for rejected
   * announcements `InvalidRequest`, `PermissionDenied`.
   */
  registerProxy(proxy: Proxy): ConnectedProxy;
}

/** A certificate of the control plane with its key. Keys of proxies and workloads never leave their owners. */
export interface ServerCertificate {
  /** PEM, leaf first. */
  readonly chain: string;
  /** PEM, PKCS #8. */
  readonly privateKey: string;
  readonly notAfter: Date;
}

/** The certificate authority of the mesh: signs the keys of workloads and proxies, and provides the trust bundle. */
export interface MeshAuthority extends AsyncDisposable {
  /** Trust domain of new certificates. */
  readonly trustDomain: string;
  /** All valid trust domains, sorted: several only during the rotation between roots of different domains. */
  readonly trustDomains: readonly string[];
  /** SHA-256, hexadecimal, of the signing root; undefined when no root can sign. */
  readonly signerFingerprint: string | undefined;
  /** PEM of all trusted roots, in a stable order. */
  readonly trustBundle: string;
  /** Changes with the roots, their roles and trust domains; replicas with the same data compute the same version. */
  readonly trustVersion: string;
  /** Signs the key of a certificate request (PEM, PKCS #10); its subject and extensions are ignored. */
  sign(request: { readonly csr: string; readonly identity: ProxyIdentity; readonly ttlMs?: number }): {
    readonly chain: string;
    readonly notAfter: Date;
  };
  /** The certificate that authenticates the control plane to proxies. */
  serverCertificate(names: readonly string[]): ServerCertificate;
  /** Calls the listener when {@link trustVersion} has changed. */
  subscribe(listener: () => void): Unsubscribe;
}

/** What the proxies of all replicas have acknowledged. A root rotation waits for it. */
export interface ProxyAcknowledgements {
  /**
   * Whether every connected proxy has acknowledged the secrets (roots) of a replica that has this {@link
   * MeshAuthority.trustVersion}. `waitingFor`: node ids of the other proxies, sorted.
   */
  haveAllAcknowledged(
    trustVersion: string,
  ): Promise<{ readonly done: boolean; readonly waitingFor: readonly string[] }>;
  /**
   * Node ids, sorted, of connected proxies that authenticated with a certificate of the root (SHA-256, hexadecimal).
   */
  listCertifiedBy(rootFingerprint: string): Promise<readonly string[]>;
}
