import { noTimeout } from './config-source.ts';
import type { ClusterWeight, Filter, Pack } from './proto/messages.ts';

/** Each further attempt to connect goes to whichever endpoint is next. */
const maxConnectAttempts = 3;

/** Closes connections at once: there is no cluster of that name. */
export const closingFilter = (pack: Pack): Filter => tcpProxyFilter(pack, 'nowhere', [{ name: 'nowhere', weight: 1 }]);

/** Hands connections on to clusters by their weights. */
export const tcpProxyFilter = (pack: Pack, statPrefix: string, clusters: readonly ClusterWeight[]): Filter => ({
  name: 'envoy.filters.network.tcp_proxy',
  typed_config: pack('envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy', {
    stat_prefix: statPrefix,
    weighted_clusters: { clusters },
    idle_timeout: noTimeout,
    max_connect_attempts: { value: maxConnectAttempts },
  }),
});
