import type protobuf from 'protobufjs';
import type { LocalityGroup } from '../model/locality-group.ts';
import type { InboundPolicy, OutboundService, ProxyScope } from '../model/proxy-scope.ts';
import type { EncodedResource } from '../model/resource.ts';
import { clusterName } from '../model/resource-names.ts';
import type { ServiceName } from '../model/service-name.ts';
import { encodeEndpoints } from './encoding/encode-endpoints.ts';
import { createResourceEncoder, type ResourceEncoder } from './encoding/resource-encoder.ts';
import { compileInbound } from './inbound/compile-inbound.ts';
import { serverListener } from './inbound/server-listener.ts';
import { deadEndListener, grpcListeners } from './outbound/grpc-listeners.ts';
import { outboundListener } from './outbound/outbound-listener.ts';
import { outboundRoutes } from './outbound/outbound-routes.ts';
import { nowhereCluster, serviceCluster } from './outbound/service-cluster.ts';
import { inboundRootsSecret, outboundRootsSecret } from './security/secrets.ts';

/** Compiles the scope of a proxy into its configuration. Pure: equal input gives equal bytes. */
export interface ResourceCompiler {
  /** One cluster per port, with its routes; for gRPC also the listeners of the names that clients dial. */
  outboundService(service: OutboundService, scope: ProxyScope): readonly EncodedResource[];
  /** Envoy's outbound listener for all services, with the cluster for destinations outside the mesh. Empty for gRPC. */
  outboundListener(services: readonly OutboundService[], scope: ProxyScope): readonly EncodedResource[];
  /** Envoy's inbound listener of the workload, with its routes and clusters. Empty for gRPC. */
  inbound(policy: InboundPolicy, scope: ProxyScope): readonly EncodedResource[];
  /** The listener of a gRPC server. Undefined for other names, and for Envoy. */
  serverListener(name: string, policy: InboundPolicy, scope: ProxyScope): EncodedResource | undefined;
  /** For gRPC, the listener of a service that is missing or not callable. Undefined for Envoy. */
  deadEndListener(name: string, scope: ProxyScope): EncodedResource | undefined;
  /** For gRPC, a cluster without endpoints. Undefined for Envoy. */
  nowhereCluster(scope: ProxyScope): EncodedResource | undefined;
  /** The endpoints of a cluster. Without groups, the cluster has no endpoints. */
  endpoints(name: string, groups: readonly LocalityGroup[]): EncodedResource;
  inboundRoots(trustBundle: string): EncodedResource;
  /** Without principals, no server is accepted. */
  outboundRoots(service: ServiceName, trustBundle: string, principals: readonly string[]): EncodedResource;
}

function compileOutbound(encoder: ResourceEncoder, outbound: OutboundService, scope: ProxyScope): EncodedResource[] {
  const isEnvoy = scope.dialect === 'envoy';
  const nameOf = (port: number): string =>
    clusterName({ tenant: scope.identity.tenant, service: outbound.service, port });
  const clusters = outbound.ports.map(port =>
    encoder.encode('cluster', nameOf(port.port), serviceCluster(encoder.pack, outbound, port, scope)),
  );
  const routes = outbound.ports
    .filter(({ protocol }) => protocol === 'http' || !isEnvoy)
    .map(({ port }) => encoder.encode('route', nameOf(port), outboundRoutes(encoder.pack, outbound, { port, scope })));
  return [...clusters, ...(isEnvoy ? [] : grpcListeners(encoder, outbound, scope)), ...routes];
}

export function createResourceCompiler(root: protobuf.Root): ResourceCompiler {
  const encoder = createResourceEncoder(root);
  return {
    outboundService: (service, scope) => compileOutbound(encoder, service, scope),
    outboundListener: (services, scope) =>
      scope.dialect === 'envoy' ? outboundListener(encoder, services, scope) : [],
    inbound: (policy, scope) => (scope.dialect === 'envoy' ? compileInbound(encoder, policy, scope) : []),
    serverListener: (name, policy, scope) => serverListener(encoder, name, { policy, scope }),
    deadEndListener: (name, { dialect }) => (dialect === 'grpc' ? deadEndListener(encoder, name) : undefined),
    nowhereCluster: scope => (scope.dialect === 'grpc' ? nowhereCluster(encoder, scope) : undefined),
    endpoints: encodeEndpoints,
    inboundRoots: trustBundle => inboundRootsSecret(encoder, trustBundle),
    outboundRoots: (service, trustBundle, principals) =>
      outboundRootsSecret(encoder, { service, trustBundle, principals }),
  };
}
