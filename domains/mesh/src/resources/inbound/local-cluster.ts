import { connectTimeout, envoyClusterLimits, httpProtocols } from '../envoy-cluster.ts';
import { socketAddress } from '../listener-parts.ts';
import type { GuardedPort } from '../matching/access-rules.ts';
import type { Cluster, Pack } from '../proto/messages.ts';

/** The cluster of the workload behind the proxy, on the same machine. */
export const localCluster = (pack: Pack, name: string, { port, protocol }: GuardedPort): Cluster => ({
  name,
  type: 'STATIC',
  connect_timeout: connectTimeout,
  load_assignment: {
    cluster_name: name,
    endpoints: [{ lb_endpoints: [{ endpoint: { address: socketAddress('127.0.0.1', port) } }] }],
  },
  ...envoyClusterLimits,
  ...(protocol === 'http' && httpProtocols(pack)),
});
