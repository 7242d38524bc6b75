import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import type { Endpoint, EndpointHealth } from '../model/endpoint.ts';
import type { ProxyIdentity } from '../model/identity.ts';
import type { MeshService } from '../model/mesh-service.ts';
import type { ServiceKey, ServiceName } from '../model/service-name.ts';
import type { MeshInstances } from './mesh-instances.ts';
import type { Unsubscribe } from './unsubscribe.ts';

/**
 * The services that the clusters of a mesh declare, with ports and virtual addresses. It has no awareness of policies
 * and proxies.
 */
export interface ServiceDirectory extends AsyncDisposable {
  readonly synced: Promise<void>;
  readonly isSynced: boolean;
  listServices(): Iterable<MeshService>;
  getService(service: ServiceName): MeshService | undefined;
  /** Calls the listener with the services whose declaration has changed, after the directory shows it. */
  subscribe(listener: (changed: ReadonlySet<ServiceKey>) => void): Unsubscribe;
}

/**
 * The endpoints of services on one platform: a Kubernetes cluster, a set of virtual machines, DNS. It has no awareness
 * of policies and proxies. It serves reads from its own cache, and keeps the last good data while its platform is not
 * reachable.
 */
export interface EndpointsProvider extends AsyncDisposable {
  /** Unique among the providers of the mesh, and readable: `<factory>/<what it reads>`. */
  readonly id: string;
  /** Resolves when the first complete read is done; rejects with `Stopped` when disposed of before. */
  readonly synced: Promise<void>;
  readonly isSynced: boolean;
  /** Why the data may be stale; undefined while it is fresh. */
  readonly staleReason: string | undefined;
  /**
   * Sorted by ip, port and port name, without duplicates; an address may serve two ports of a service. Empty for
   * unknown services.
   */
  listEndpointsForService(service: ServiceName): readonly Endpoint[];
  /** The services that have endpoints in this provider. */
  listServices(): Iterable<ServiceKey>;
  /** Calls the listener with the services whose endpoints have changed, after reads show the change. */
  subscribe(listener: (changed: readonly ServiceKey[]) => void): Unsubscribe;
}

/** A member cluster, as endpoints providers see it. */
export interface ProviderMember {
  /** Its name in the mesh. */
  readonly name: string;
  readonly region?: string;
  /**
   * Reads objects of the cluster: on a cluster of another server Services, Pods and EndpointSlices only. Not to be
   * disposed of.
   */
  readonly client: Client;
  /** Whether this landscape serves the cluster, with the kinds of the mesh. */
  readonly isOwn: boolean;
}

/** Dependencies of endpoints providers, given to their factories. */
export interface EndpointsProviderDeps {
  /** The name of the mesh. */
  readonly mesh: string;
  readonly members: readonly ProviderMember[];
  readonly services: Pick<ServiceDirectory, 'getService'>;
  /** The service instances that are services of the mesh. */
  readonly instances: MeshInstances;
  /**
   * The endpoints of a service from all providers of the mesh. To be called after they are synced, not while they are
   * opened.
   */
  readonly endpointsOf: (service: ServiceName) => readonly Endpoint[];
  readonly logger: Logger;
}

/** Creates the endpoints providers of one platform for each mesh. */
export interface EndpointsProviderFactory {
  /** Name of the platform, such as `kubernetes`. */
  readonly name: string;
  /** Opens the providers of a mesh, which disposes of them. A mesh serves its proxies when all providers are synced. */
  open(deps: EndpointsProviderDeps): OpenedProviders;
}

/** The providers that a factory has opened, and the inputs that some of them have. */
export interface OpenedProviders {
  readonly providers: readonly EndpointsProvider[];
  /** Presence of machines by cluster, updated as proxies connect and disconnect. Default: not tracked. */
  readonly machines?: readonly ClusterMachines[];
  /**
   * The one of `providers` that accepts announcements of proxies; at most one factory of a mesh provides it. Default:
   * none.
   */
  readonly announced?: AnnouncedEndpoints;
}

/** A connected proxy, as evidence that its machine is running. */
export interface PresentProxy {
  readonly identity: Pick<ProxyIdentity, 'namespace' | 'serviceAccount' | 'proxyId'>;
  /** Remote address, `address:port`. */
  readonly peer: string;
}

/** Presence of the machines of one member cluster. */
export interface ClusterMachines {
  readonly cluster: string;
  readonly presence: {
    /** Registers a connected proxy, until what is returned is disposed of. */
    connect(proxy: PresentProxy): Disposable;
    /** What this replica knows; other replicas get it by `setOther`. */
    readonly report: MachineReport;
    /** Replaces the report of another replica; {@link emptyMachineReport} when the replica has stopped. */
    setOther(replica: string, report: MachineReport): void;
  };
}

/** What one replica knows about machines: keys, sorted. */
export interface MachineReport {
  /** Machines whose proxies are connected to the replica. */
  readonly connected: readonly string[];
  /** Lost machines: their proxies were connected to any replica, and have been away for the grace period. */
  readonly lost: readonly string[];
}

/** The report of a replica without machines. */
export const emptyMachineReport: MachineReport = { connected: [], lost: [] };

/** An endpoint that a proxy announces for its workload. Its certificate determines the identity. */
export interface AnnouncedEndpoint {
  /** A literal IP address. */
  readonly ip: string;
  readonly port: number;
  /** Default: the unnamed port. */
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

/** Endpoints that connected proxies announce. */
export interface AnnouncedEndpoints extends EndpointsProvider {
  /**
   * Adds the endpoints, until the returned object is disposed of. A proxy that reconnects before its old connection is
   * closed announces twice; the later announcement takes precedence, and remains when the earlier one is disposed of.
   * Throws `Forbidden`, `InvalidEndpoint`.
   */
  announce(announcement: Announcement): Disposable;
}
