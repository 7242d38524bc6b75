import type { Client } from '@chandlery/client';

/** A cluster that a provider works on, with the access it was granted. */
export interface ClusterConnection {
  readonly client: Client;
  /** YAML, for handing to a domain service. */
  readonly kubeconfig: string;
  /**
   * Tells accesses apart. One access has one client, until another one (a new token) replaces it. Accesses to the same
   * cluster, which their kubeconfigs tell, share watches.
   */
  readonly id: string;
}

/** Which of an owner's clusters is meant. */
export type ClusterRole = 'mcp' | 'workload';

/** The clusters of one owner; one that is missing was not wished for, or is gone. */
export type Connections = Readonly<Partial<Record<ClusterRole, ClusterConnection>>>;
