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

/** Turns what a proxy may do into its configuration. Pure: equal input gives equal bytes. */
export interface ResourceCompiler {
  /** One cluster per port, and the routes to them; for gRPC also the listeners under the names that clients dial. */
  outboundService(service: OutboundService, scope: ProxyScope): readonly EncodedResource[];
  /** Envoy's one listener for all services, with the cluster of what is outside the mesh. Nothing for gRPC. */
  outboundListener(services: readonly OutboundService[], scope: ProxyScope): readonly EncodedResource[];
  /** Envoy's listener in front of the workload, with its routes and clusters. Nothing for gRPC. */
  inbound(policy: InboundPolicy, scope: ProxyScope): readonly EncodedResource[];
  /** The listener of a gRPC server under its name. Undefined for other names, and for Envoy. */
  serverListener(name: string, policy: InboundPolicy, scope: ProxyScope): EncodedResource | undefined;
  /** For gRPC, in place of the listener of a service that is not there or may not be called. Undefined for Envoy. */
  deadEndListener(name: string, scope: ProxyScope): EncodedResource | undefined;
  /** For gRPC, the cluster in which nobody is; its list of endpoints is empty. Undefined for Envoy. */
  nowhereCluster(scope: ProxyScope): EncodedResource | undefined;
  /** The endpoints of a cluster. An empty list says that there are none. */
  endpoints(name: string, groups: readonly LocalityGroup[]): EncodedResource;
  inboundRoots(trustBundle: string): EncodedResource;
  /** Without principals nobody may answer. */
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
