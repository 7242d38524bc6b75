import type { ServiceName } from './service-name.ts';

/** The protocol of a port, which determines whether single requests or only connections can be authorized. */
export type ServiceProtocol = 'http' | 'tcp';

export interface ServicePort {
  /** Empty for a single, unnamed port. */
  readonly name: string;
  readonly port: number;
  readonly protocol: ServiceProtocol;
}

/** A service as its clients know it, independent of where it runs. */
export interface MeshService {
  readonly service: ServiceName;
  readonly ports: readonly ServicePort[];
  /** Virtual addresses by which clients may reach it, in canonical form. */
  readonly addresses: readonly string[];
  /**
   * Virtual addresses by cluster: clusters may assign the same address to different services, so that a client uses
   * those of its own cluster. Default: `addresses` in all clusters.
   */
  readonly addressesIn?: Readonly<Record<string, readonly string[]>>;
  /** The clusters that declare it. */
  readonly clusters: readonly string[];
  /** Active health check of its endpoints. Default: none. */
  readonly healthCheck?: HealthCheck;
  /**
   * Whether its endpoints have no proxy of the mesh: they are called without TLS of the mesh, and only the proxies of
   * callers enforce policies. Default false.
   */
  readonly isUnproxied?: boolean;
}

/** Whether an endpoint accepts connections, or responds to a GET of the path with 200. */
export type HealthCheck = 'tcp' | { readonly path: string };
