import { noTimeout } from './config-source.ts';
import type { ClusterWeight, Filter, Pack } from './proto/messages.ts';

/** Hands connections on to clusters by their weights. */
export const tcpProxyFilter = (pack: Pack, statPrefix: string, clusters: readonly ClusterWeight[]): Filter => ({
  name: 'envoy.filters.network.tcp_proxy',
  typed_config: pack('envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy', {
    stat_prefix: statPrefix,
    weighted_clusters: { clusters },
    idle_timeout: noTimeout,
  }),
});
