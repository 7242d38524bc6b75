/** Whether an endpoint takes traffic. A `draining` one completes its requests and gets no new ones. */
export type EndpointHealth = 'healthy' | 'unhealthy' | 'draining';

/** One address that serves a port of a service. */
export interface Endpoint {
  /** A literal IPv4 or IPv6 address in its canonical form. */
  readonly ip: string;
  readonly port: number;
  /** Name of the service port that it serves; empty for a single, unnamed port. */
  readonly portName: string;
  readonly health: EndpointHealth;
  /** The cluster or cloud of the endpoint. */
  readonly cluster: string;
  readonly region?: string;
  readonly zone?: string;
  /** A positive integer. Default 1. */
  readonly weight?: number;
  /** Service account of its workload, in the namespace of the service. Undefined when the provider does not know it. */
  readonly serviceAccount?: string;
  /**
   * The cluster of the service account, which its certificates name. Default: the cluster of the endpoint; a cloud has
   * no accounts.
   */
  readonly accountCluster?: string;
  /** The pod or machine of the endpoint, for display. */
  readonly source?: string;
}
