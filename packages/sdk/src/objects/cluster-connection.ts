import type { Client } from '@chandlery/client';

/** A cluster that a provider works on, with the access it was granted. */
export interface ClusterConnection {
  readonly client: Client;
  /** YAML, to be passed to a domain service. */
  readonly kubeconfig: string;
  /**
   * Identifies an access. An access has one client until another one, with a new token, replaces it. Accesses to the
   * same cluster, identified by the address in their kubeconfigs, share watches.
   */
  readonly id: string;
}

/** The role of a cluster for a service object. */
export type ClusterRole = 'mcp' | 'workload';

/** The clusters of one owner. A missing one is not required by the definition, or is deleted. */
export type Connections = Readonly<Partial<Record<ClusterRole, ClusterConnection>>>;
