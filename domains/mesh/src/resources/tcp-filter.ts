import { noTimeout } from './config-source.ts';
import type { ClusterWeight, Filter, Pack } from './proto/messages.ts';

/** Each further attempt uses the next endpoint. */
const maxConnectAttempts = 3;

/** Closes connections: no cluster has this name. */
export const closingFilter = (pack: Pack): Filter => tcpProxyFilter(pack, 'nowhere', [{ name: 'nowhere', weight: 1 }]);

/** Forwards connections to clusters by their weights. */
export const tcpProxyFilter = (pack: Pack, statPrefix: string, clusters: readonly ClusterWeight[]): Filter => ({
  name: 'envoy.filters.network.tcp_proxy',
  typed_config: pack('envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy', {
    stat_prefix: statPrefix,
    weighted_clusters: { clusters },
    idle_timeout: noTimeout,
    max_connect_attempts: { value: maxConnectAttempts },
  }),
});
