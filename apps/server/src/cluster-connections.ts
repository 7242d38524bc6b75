import { ChandleryError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { createKernelClient, type Kernel } from '@chandlery/kernel';

export interface ClusterConnectionsOptions {
  readonly kernel: Kernel;
  /** Whether the landscape serves a logical cluster of that name. */
  readonly isLogicalCluster: (name: string) => Promise<boolean>;
}

/** Connects to members of meshes: to what this landscape serves without leaving the process. */
export const createClusterConnections =
  ({ kernel, isLogicalCluster }: ClusterConnectionsOptions) =>
  async (name: string): Promise<Client> => {
    if (await isLogicalCluster(name)) return createKernelClient(kernel, { cluster: name });
    throw new ChandleryError('ClusterNotFound', `there is no cluster "${name}"`, {
      hint: 'name clusters that the landscape serves',
    });
  };
