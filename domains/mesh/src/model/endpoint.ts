/** How fit an endpoint is to take traffic. `draining` ones finish what they have and get nothing new. */
export type EndpointHealth = 'healthy' | 'unhealthy' | 'draining';

/** One address that serves a port of a service. */
export interface Endpoint {
  /** A literal IPv4 or IPv6 address in its canonical form. */
  readonly ip: string;
  readonly port: number;
  /** Of the service's port that it serves; empty for the only, unnamed one. */
  readonly portName: string;
  readonly health: EndpointHealth;
  /** The cluster (or cloud) where it runs. */
  readonly cluster: string;
  readonly region?: string;
  readonly zone?: string;
  /** A positive integer. Default 1. */
  readonly weight?: number;
  /** Which service account its workload runs as, in the service's namespace. Undefined when the provider does not know. */
  readonly serviceAccount?: string;
  /** The cluster that has this account, and so stands in its certificates. Default: where it runs; a cloud has no accounts. */
  readonly accountCluster?: string;
  /** For people: the pod or machine behind it. */
  readonly source?: string;
}
