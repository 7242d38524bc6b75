import type { InboundPolicy, ProxyScope } from '../../model/proxy-scope.ts';
import type { EncodedResource } from '../../model/resource.ts';
import { inboundListenerName } from '../../model/resource-names.ts';
import type { ResourceEncoder } from '../encoding/resource-encoder.ts';
import { envoyHttpFilter, httpRbacFilter, routerFilter } from '../http-connections.ts';
import { anyAddress, originalDestinationFilter, tlsInspectorFilter } from '../listener-parts.ts';
import { connectionRules, type Grant, type GuardedPort, grantsFor } from '../matching/access-rules.ts';
import type { Filter, FilterChain, Pack } from '../proto/messages.ts';
import { alpnProtocols, envoyHttpDownstreamTls, envoyTcpDownstreamTls } from '../security/tls-contexts.ts';
import { tcpProxyFilter } from '../tcp-filter.ts';
import { guardedPorts } from './guarded-ports.ts';
import { inboundRoutesName, localClusterName } from './inbound-names.ts';
import { inboundRoutes } from './inbound-routes.ts';
import { localCluster } from './local-cluster.ts';

/** Where connections to the workload are redirected to. */
const inboundPort = 15003;

/** What is needed to serve one port of the workload. */
interface PortPlan extends GuardedPort {
  /** The cluster of the workload. */
  readonly cluster: string;
  readonly routes: string;
  readonly grants: readonly Grant[];
}

function planPort(policy: InboundPolicy, port: GuardedPort, scope: ProxyScope): PortPlan {
  const workloadPort = { tenant: scope.identity.tenant, port: port.port };
  return {
    ...port,
    cluster: localClusterName(workloadPort),
    routes: inboundRoutesName(workloadPort),
    grants: grantsFor(policy, port, scope),
  };
}

/** Always there: without a grant it denies everything. */
const networkRbacFilter = (pack: Pack, { routes, grants }: PortPlan): Filter => ({
  name: 'envoy.filters.network.rbac',
  typed_config: pack('envoy.extensions.filters.network.rbac.v3.RBAC', {
    rules: connectionRules(grants),
    stat_prefix: routes,
  }),
});

function servingFilter(pack: Pack, { protocol, cluster, routes }: PortPlan): Filter {
  if (protocol === 'tcp') return tcpProxyFilter(pack, cluster, [{ name: cluster, weight: 1 }]);
  return envoyHttpFilter(pack, { routes, filters: [httpRbacFilter(pack), routerFilter(pack)] });
}

const callersOf = (grants: readonly Grant[]): Grant['callers'] => grants.flatMap(({ callers }) => callers);

const filterChain = (pack: Pack, plan: PortPlan): FilterChain => ({
  name: plan.routes,
  filter_chain_match: {
    destination_port: { value: plan.port },
    transport_protocol: 'tls',
    application_protocols: alpnProtocols[plan.protocol],
  },
  filters: [networkRbacFilter(pack, plan), servingFilter(pack, plan)],
  transport_socket:
    plan.protocol === 'http' ? envoyHttpDownstreamTls(pack) : envoyTcpDownstreamTls(pack, callersOf(plan.grants)),
});

const inboundListener = ({ pack, encode }: ResourceEncoder, plans: readonly PortPlan[]): EncodedResource =>
  encode('listener', inboundListenerName, {
    name: inboundListenerName,
    address: anyAddress(inboundPort),
    listener_filters: [originalDestinationFilter(pack), tlsInspectorFilter(pack)],
    filter_chains: plans.map(plan => filterChain(pack, plan)),
    traffic_direction: 'INBOUND',
  });

/** All that Envoy needs in front of a workload: its listener, and for each port the routes and the workload itself. */
export function compileInbound(encoder: ResourceEncoder, policy: InboundPolicy, scope: ProxyScope): EncodedResource[] {
  const plans = guardedPorts(policy).map(port => planPort(policy, port, scope));
  if (plans.length === 0) return [];
  const { pack } = encoder;
  const clusters = plans.map(plan => encoder.encode('cluster', plan.cluster, localCluster(pack, plan.cluster, plan)));
  const routes = plans
    .filter(({ protocol }) => protocol === 'http')
    .map(({ routes: name, port, cluster, grants }) =>
      encoder.encode('route', name, inboundRoutes(pack, policy, { scope, routes: { name, port, cluster, grants } })),
    );
  return [...clusters, inboundListener(encoder, plans), ...routes];
}
