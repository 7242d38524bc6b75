import type { ServiceName } from './service-name.ts';

/** What a port speaks. Decides whether requests or only connections can be told apart. */
export type ServiceProtocol = 'http' | 'tcp';

export interface ServicePort {
  /** Empty for the only, unnamed one. */
  readonly name: string;
  readonly port: number;
  readonly protocol: ServiceProtocol;
}

/** A service as its clients know it, wherever it runs. */
export interface MeshService {
  readonly service: ServiceName;
  readonly ports: readonly ServicePort[];
  /** Virtual addresses by which clients may reach it, in canonical form. */
  readonly addresses: readonly string[];
  /** The same by cluster, for those who may not know more than their own: clusters give the same address to different services. Default: `addresses` holds everywhere. */
  readonly addressesIn?: Readonly<Record<string, readonly string[]>>;
  /** The clusters that declare it. */
  readonly clusters: readonly string[];
  /** How its endpoints are tried. Default: only calls tell. */
  readonly healthCheck?: HealthCheck;
}

/** Whether an endpoint takes connections, or answers a path with 200. */
export type HealthCheck = 'tcp' | { readonly path: string };
