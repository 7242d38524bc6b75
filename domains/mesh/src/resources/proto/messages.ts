import type { Cluster } from '@grpc/grpc-js-xds/build/src/generated/envoy/config/cluster/v3/Cluster.js';
import type { ClusterLoadAssignment } from '@grpc/grpc-js-xds/build/src/generated/envoy/config/endpoint/v3/ClusterLoadAssignment.js';
import type { Filter } from '@grpc/grpc-js-xds/build/src/generated/envoy/config/listener/v3/Filter.js';
import type { FilterChain } from '@grpc/grpc-js-xds/build/src/generated/envoy/config/listener/v3/FilterChain.js';
import type { Listener } from '@grpc/grpc-js-xds/build/src/generated/envoy/config/listener/v3/Listener.js';
import type { Permission } from '@grpc/grpc-js-xds/build/src/generated/envoy/config/rbac/v3/Permission.js';
import type { Policy } from '@grpc/grpc-js-xds/build/src/generated/envoy/config/rbac/v3/Policy.js';
import type { Principal } from '@grpc/grpc-js-xds/build/src/generated/envoy/config/rbac/v3/Principal.js';
import type { RBAC as RbacRules } from '@grpc/grpc-js-xds/build/src/generated/envoy/config/rbac/v3/RBAC.js';
import type { HeaderMatcher } from '@grpc/grpc-js-xds/build/src/generated/envoy/config/route/v3/HeaderMatcher.js';
import type { RetryPolicy } from '@grpc/grpc-js-xds/build/src/generated/envoy/config/route/v3/RetryPolicy.js';
import type { Route } from '@grpc/grpc-js-xds/build/src/generated/envoy/config/route/v3/Route.js';
import type { RouteAction } from '@grpc/grpc-js-xds/build/src/generated/envoy/config/route/v3/RouteAction.js';
import type { RouteConfiguration } from '@grpc/grpc-js-xds/build/src/generated/envoy/config/route/v3/RouteConfiguration.js';
import type { RouteMatch } from '@grpc/grpc-js-xds/build/src/generated/envoy/config/route/v3/RouteMatch.js';
import type { RBAC as HttpRbac } from '@grpc/grpc-js-xds/build/src/generated/envoy/extensions/filters/http/rbac/v3/RBAC.js';
import type { RBACPerRoute } from '@grpc/grpc-js-xds/build/src/generated/envoy/extensions/filters/http/rbac/v3/RBACPerRoute.js';
import type { HttpConnectionManager } from '@grpc/grpc-js-xds/build/src/generated/envoy/extensions/filters/network/http_connection_manager/v3/HttpConnectionManager.js';
import type { CommonTlsContext } from '@grpc/grpc-js-xds/build/src/generated/envoy/extensions/transport_sockets/tls/v3/CommonTlsContext.js';
import type { DownstreamTlsContext } from '@grpc/grpc-js-xds/build/src/generated/envoy/extensions/transport_sockets/tls/v3/DownstreamTlsContext.js';
import type { Secret } from '@grpc/grpc-js-xds/build/src/generated/envoy/extensions/transport_sockets/tls/v3/Secret.js';
import type { SubjectAltNameMatcher } from '@grpc/grpc-js-xds/build/src/generated/envoy/extensions/transport_sockets/tls/v3/SubjectAltNameMatcher.js';
import type { UpstreamTlsContext } from '@grpc/grpc-js-xds/build/src/generated/envoy/extensions/transport_sockets/tls/v3/UpstreamTlsContext.js';
import type { StringMatcher } from '@grpc/grpc-js-xds/build/src/generated/envoy/type/matcher/v3/StringMatcher.js';
import type { Duration } from '@grpc/grpc-js-xds/build/src/generated/google/protobuf/Duration.js';
import type { ResourceType } from '../../model/resource.ts';

// Envoy's messages as plain objects, so that the compiler finds misspelt fields.

export type {
  Cluster,
  CommonTlsContext,
  Filter,
  FilterChain,
  HeaderMatcher,
  HttpConnectionManager,
  Permission,
  Policy,
  Principal,
  RbacRules,
  RetryPolicy,
  Route,
  RouteAction,
  RouteConfiguration,
  RouteMatch,
  StringMatcher,
  SubjectAltNameMatcher,
};

/** `envoy.extensions.filters.network.rbac.v3.RBAC`, used fields only. */
interface NetworkRbac {
  readonly rules: RbacRules;
  readonly stat_prefix: string;
}

export interface ClusterWeight {
  readonly name: string;
  readonly weight: number;
}

/** `envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy`, used fields only. */
interface TcpProxy {
  readonly stat_prefix: string;
  readonly weighted_clusters: { readonly clusters: readonly ClusterWeight[] };
  readonly idle_timeout: Duration;
  readonly max_connect_attempts: { readonly value: number };
}

/** `envoy.extensions.upstreams.http.v3.HttpProtocolOptions`, used fields only. */
interface HttpProtocolOptions {
  readonly use_downstream_protocol_config: {
    readonly http_protocol_options: object;
    readonly http2_protocol_options: {
      readonly connection_keepalive?: { readonly interval: Duration; readonly timeout: Duration };
    };
  };
}

/** Messages that are embedded as `Any`, by their full name. */
export interface PackedMessages {
  'envoy.extensions.filters.http.rbac.v3.RBAC': HttpRbac;
  'envoy.extensions.filters.http.rbac.v3.RBACPerRoute': RBACPerRoute;
  'envoy.extensions.filters.http.router.v3.Router': Record<string, never>;
  'envoy.extensions.filters.listener.original_dst.v3.OriginalDst': Record<string, never>;
  'envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector': Record<string, never>;
  'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager': HttpConnectionManager;
  'envoy.extensions.filters.network.rbac.v3.RBAC': NetworkRbac;
  'envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy': TcpProxy;
  'envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate': Record<string, never>;
  'envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext': DownstreamTlsContext;
  'envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext': UpstreamTlsContext;
  'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': HttpProtocolOptions;
}

/** The messages of the resource types. */
export interface ResourceMessages extends Record<ResourceType, object> {
  cluster: Cluster;
  endpoints: ClusterLoadAssignment;
  listener: Listener;
  route: RouteConfiguration;
  secret: Secret;
}

export interface PackedMessage {
  readonly type_url: string;
  readonly value: Uint8Array;
}

/** Encodes a message for a field of type `google.protobuf.Any`. */
export type Pack = <Name extends keyof PackedMessages>(name: Name, message: PackedMessages[Name]) => PackedMessage;
