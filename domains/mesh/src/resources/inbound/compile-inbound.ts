import type { InboundPolicy, ProxyScope } from '../../model/proxy-scope.ts';
import type { EncodedResource } from '../../model/resource.ts';
import { inboundListenerName } from '../../model/resource-names.ts';
import type { ResourceEncoder } from '../encoding/resource-encoder.ts';
import { connectTimeout, envoyClusterLimits, httpProtocols } from '../envoy-cluster.ts';
import { envoyHttpFilter, httpRbacFilter, routerFilter } from '../http-connections.ts';
import { anyAddress, originalDestinationFilter, socketAddress, tlsInspectorFilter } from '../listener-parts.ts';
import { connectionRules, type Grant, type GuardedPort, grantsFor } from '../matching/access-rules.ts';
import type { Cluster, Filter, FilterChain, Pack } from '../proto/messages.ts';
import { alpnProtocols, envoyHttpDownstreamTls, envoyTcpDownstreamTls } from '../security/tls-contexts.ts';
import { tcpProxyFilter } from '../tcp-filter.ts';
import { guardedPorts } from './guarded-ports.ts';
import { inboundRoutes } from './inbound-routes.ts';

/** The plan for one port of the workload. */
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

/** Always present: without a grant it denies everything. */
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

const filterChain = (pack: Pack, plan: PortPlan, { certificateFolder }: ProxyScope): FilterChain => ({
  name: plan.routes,
  filter_chain_match: {
    destination_port: { value: plan.port },
    transport_protocol: 'tls',
    application_protocols: alpnProtocols[plan.protocol],
  },
  filters: [networkRbacFilter(pack, plan), servingFilter(pack, plan)],
  transport_socket:
    plan.protocol === 'http'
      ? envoyHttpDownstreamTls(pack, certificateFolder)
      : envoyTcpDownstreamTls(pack, callersOf(plan.grants), certificateFolder),
});

/** A port that accepts connections without TLS. Policies do not apply, because callers are not authenticated. */
interface PlaintextPort {
  readonly port: number;
  readonly cluster: string;
  /** Whether it also accepts TLS of the mesh. Otherwise TLS is forwarded to the workload. */
  readonly isGuarded: boolean;
}

function plaintextPorts(plans: readonly PortPlan[], { traffic, ports, identity }: ProxyScope): PlaintextPort[] {
  const guarded = plans.map(({ port }) => port);
  const open = traffic.mtls === 'permissive' ? guarded : [];
  return [...new Set([...open, ...ports.plaintext])]
    .toSorted((one, other) => one - other)
    .map(port => ({
      port,
      cluster: localClusterName({ tenant: identity.tenant, port }),
      isGuarded: guarded.includes(port),
    }));
}

const plaintextChain = (pack: Pack, { port, cluster, isGuarded }: PlaintextPort): FilterChain => ({
  name: `plaintext|${port}`,
  filter_chain_match: { destination_port: { value: port }, ...(isGuarded && { transport_protocol: 'raw_buffer' }) },
  filters: [tcpProxyFilter(pack, cluster, [{ name: cluster, weight: 1 }])],
});

/** Delay of connections on which the server speaks first, until Envoy detects that they have no TLS. */
const plaintextTimeout = { listener_filters_timeout: { seconds: 5 }, continue_on_listener_filters_timeout: true };

function inboundListener(
  { pack, encode }: ResourceEncoder,
  plans: readonly PortPlan[],
  { plaintext, scope }: { readonly plaintext: readonly PlaintextPort[]; readonly scope: ProxyScope },
): EncodedResource {
  return encode('listener', inboundListenerName, {
    name: inboundListenerName,
    address: anyAddress(scope.ports.inbound),
    listener_filters: [originalDestinationFilter(pack), tlsInspectorFilter(pack)],
    ...(plaintext.length > 0 && plaintextTimeout),
    filter_chains: [
      ...plans.map(plan => filterChain(pack, plan, scope)),
      ...plaintext.map(port => plaintextChain(pack, port)),
    ],
    traffic_direction: 'INBOUND',
  });
}

/**
 * Compiles Envoy's inbound configuration: the listener, and for each port the routes and the cluster of the workload.
 */
export function compileInbound(encoder: ResourceEncoder, policy: InboundPolicy, scope: ProxyScope): EncodedResource[] {
  const plans = guardedPorts(policy).map(port => planPort(policy, port, scope));
  const plaintext = plaintextPorts(plans, scope);
  if (plans.length + plaintext.length === 0) return [];
  const { pack } = encoder;
  const unguarded = plaintext
    .filter(({ isGuarded }) => !isGuarded)
    .map(port => ({ ...port, protocol: 'tcp' }) as const);
  const clusters = [...plans, ...unguarded].map(port =>
    encoder.encode('cluster', port.cluster, localCluster(pack, port.cluster, port)),
  );
  const routes = plans
    .filter(({ protocol }) => protocol === 'http')
    .map(({ routes: name, port, cluster, grants }) =>
      encoder.encode('route', name, inboundRoutes(pack, policy, { scope, routes: { name, port, cluster, grants } })),
    );
  return [...clusters, inboundListener(encoder, plans, { plaintext, scope }), ...routes];
}

/** A port of the workload behind a proxy. */
interface WorkloadPort {
  readonly tenant: string;
  readonly port: number;
}

/** Cluster name of the workload itself, which only its own proxy knows. */
export const localClusterName = ({ tenant, port }: WorkloadPort): string => `${tenant}/local|${port}`;

/** Name of the inbound routes of a port. */
export const inboundRoutesName = ({ tenant, port }: WorkloadPort): string => `${tenant}/inbound|${port}`;

/** The cluster of the workload behind the proxy, on the same machine. */
const localCluster = (pack: Pack, name: string, { port, protocol }: GuardedPort): Cluster => ({
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
