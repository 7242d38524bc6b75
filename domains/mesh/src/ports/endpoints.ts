import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import type { Endpoint, EndpointHealth } from '../model/endpoint.ts';
import type { ProxyIdentity } from '../model/identity.ts';
import type { MeshService } from '../model/mesh-service.ts';
import type { ServiceKey, ServiceName } from '../model/service-name.ts';
import type { Unsubscribe } from './unsubscribe.ts';

/** Knows the services that the clusters of a mesh declare: their ports and virtual addresses. Knows no policy and no proxy. */
export interface ServiceDirectory extends AsyncDisposable {
  readonly synced: Promise<void>;
  readonly isSynced: boolean;
  listServices(): Iterable<MeshService>;
  getService(service: ServiceName): MeshService | undefined;
  /** Calls the listener with the services whose declaration has changed, after the directory shows it. */
  subscribe(listener: (changed: ReadonlySet<ServiceKey>) => void): Unsubscribe;
}

/**
 * Knows where services run on one platform: a Kubernetes cluster, a set of virtual machines, DNS. Knows nothing of
 * policies and proxies. Answers from its own copy; while its platform cannot be reached it keeps its last good answer.
 */
export interface EndpointsProvider extends AsyncDisposable {
  /** Tells it from the other providers of the mesh, and people what it is: `<factory>/<what it reads>`. */
  readonly id: string;
  /** Resolves when its first complete answer is there; rejects with `Stopped` when disposed of before. */
  readonly synced: Promise<void>;
  readonly isSynced: boolean;
  /** Why its answers may be old; undefined while they are fresh. */
  readonly staleReason: string | undefined;
  /** Sorted by ip, port and port name, each once: one address may serve two ports of a service. Empty for unknown ones. */
  listEndpointsForService(service: ServiceName): readonly Endpoint[];
  /** The services that have endpoints here. */
  listServices(): Iterable<ServiceKey>;
  /** Calls the listener with the services whose endpoints have changed, after its answers have. */
  subscribe(listener: (changed: readonly ServiceKey[]) => void): Unsubscribe;
}

/** A cluster of a mesh, as endpoints providers see it. */
export interface ProviderMember {
  /** Its name in the mesh. */
  readonly name: string;
  readonly region?: string;
  /** Reads its objects. On clusters that others serve: Services, Pods and EndpointSlices alone. Not to be disposed of. */
  readonly client: Client;
  /** Whether the landscape serves it, with the kinds of the mesh. */
  readonly isOwn: boolean;
}

/** What factories make providers from. */
export interface EndpointsProviderDeps {
  /** The name of the mesh. */
  readonly mesh: string;
  readonly members: readonly ProviderMember[];
  readonly services: Pick<ServiceDirectory, 'getService'>;
  /** What all providers of the mesh know of a service. To be called when they are synced, not while they are opened. */
  readonly endpointsOf: (service: ServiceName) => readonly Endpoint[];
  readonly logger: Logger;
}

/** Makes the endpoints providers of one platform, for each mesh that is opened. */
export interface EndpointsProviderFactory {
  /** Of the platform, for people: `kubernetes`. */
  readonly name: string;
  /** Opens the providers of a mesh, which disposes of them. A mesh serves its proxies when all of them are synced. */
  open(deps: EndpointsProviderDeps): OpenedProviders;
}

/** The providers that a factory has opened, and what else they take in. */
export interface OpenedProviders {
  readonly providers: readonly EndpointsProvider[];
  /** Learn which proxies of machines are connected. Default: nobody asks. */
  readonly machines?: readonly ClusterMachines[];
  /** The one of `providers` that takes in what proxies announce; one factory of a mesh at most has it. Default: none. */
  readonly announced?: AnnouncedEndpoints;
}

/** A connected proxy, as far as it shows that a machine is there. */
export interface PresentProxy {
  readonly identity: Pick<ProxyIdentity, 'namespace' | 'serviceAccount' | 'proxyId'>;
  /** Where it connects from, `address:port`. */
  readonly peer: string;
}

/** Which machines of one cluster of a mesh are there. */
export interface ClusterMachines {
  readonly cluster: string;
  readonly presence: {
    /** Registers a connected proxy, until what is returned is disposed of. */
    connect(proxy: PresentProxy): Disposable;
    /** Keys of machines whose proxies are connected to this replica, sorted: other replicas take them by `setOther`. */
    readonly connected: readonly string[];
    /** Takes what another replica reports; nothing when it is gone. */
    setOther(replica: string, keys: readonly string[]): void;
  };
}

/** Where a proxy says that its workload is reached. Who and where it is otherwise, its certificate says. */
export interface AnnouncedEndpoint {
  /** A literal IP address. */
  readonly ip: string;
  readonly port: number;
  /** Default: the unnamed one. */
  readonly portName?: string;
  /** Default `healthy`. */
  readonly health?: EndpointHealth;
  readonly region?: string;
  readonly zone?: string;
}

export interface Announcement {
  readonly service: ServiceName;
  readonly endpoints: readonly AnnouncedEndpoint[];
  readonly identity: ProxyIdentity;
}

/** Endpoints that connected proxies announce themselves. */
export interface AnnouncedEndpoints extends EndpointsProvider {
  /**
   * Takes the endpoints in, until what it returns is disposed of. A proxy that connects again before its old connection is
   * known to be gone announces twice; the later announcement holds, and stays when the earlier one goes. Throws
   * `Forbidden`, `InvalidEndpoint`.
   */
  announce(announcement: Announcement): Disposable;
}
