import type { ClusterProvider } from '../../ports.ts';

/** Clusters that exist, with agents that are run outside the landscape: nothing is made and nothing is removed. */
export const standaloneProvider: ClusterProvider = {
  create: () => Promise.resolve(),
  status: () => Promise.resolve({ type: 'ready', clusterDns: undefined }),
  kubeconfig: () => Promise.resolve(undefined),
  delete: () => Promise.resolve(true),
};
