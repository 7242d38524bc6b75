import { parentPort } from 'node:worker_threads';
import { Metadata } from '@grpc/grpc-js';
import { register } from '@grpc/grpc-js-xds';
import { parseTopLevelFilterConfig } from '@grpc/grpc-js-xds/build/src/http-filter.js';
import type { RbacPolicyGroup } from '@grpc/grpc-js-xds/build/src/rbac.js';
import { decodeSingleResource } from '@grpc/grpc-js-xds/build/src/resources.js';
import { getPredicateForMatcher } from '@grpc/grpc-js-xds/build/src/route.js';
import { ClusterResourceType } from '@grpc/grpc-js-xds/build/src/xds-resource-type/cluster-resource-type.js';
import { EndpointResourceType } from '@grpc/grpc-js-xds/build/src/xds-resource-type/endpoint-resource-type.js';
import { ListenerResourceType } from '@grpc/grpc-js-xds/build/src/xds-resource-type/listener-resource-type.js';
import { RouteConfigurationResourceType } from '@grpc/grpc-js-xds/build/src/xds-resource-type/route-config-resource-type.js';
import type { XdsDecodeContext } from '@grpc/grpc-js-xds/build/src/xds-resource-type/xds-resource-type.js';

// Validates our resources by the gRPC library. Runs as a worker: the environment decides at load time whether the
// library supports access rules.

interface Packed {
  readonly type_url: string;
  readonly value: Uint8Array;
}

export interface GrpcCall {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The questions of a test. */
export interface GrpcQuestions {
  /** Whether a client accepts the resources. */
  readonly resources?: readonly Packed[];
  /** Whether a server with this listener allows the peer. */
  readonly calls?: { readonly listener: Packed; readonly asked: readonly (GrpcCall & { readonly peer: string })[] };
  /** The clusters that a client with these routes uses. */
  readonly dials?: { readonly routes: Packed; readonly asked: readonly GrpcCall[] };
}

/** In the order of the questions. */
export interface GrpcAnswers {
  /** Empty for an accepted resource. */
  readonly errors: readonly string[];
  readonly allowed: readonly boolean[];
  /** Empty without a route. */
  readonly clusters: readonly Readonly<Record<string, number>>[];
}

const context = { bootstrap: { certificateProviders: { default: {} } } } as unknown as XdsDecodeContext;
const types = [
  ClusterResourceType.get(),
  EndpointResourceType.get(),
  ListenerResourceType.get(),
  RouteConfigurationResourceType.get(),
];

const asLibraryAny = ({ type_url, value }: Packed): { type_url: string; value: Buffer } => ({
  type_url,
  value: Buffer.from(value),
});

function errorOf(resource: Packed): string {
  const type = types.find(each => each.getFullTypeUrl() === resource.type_url);
  if (!type) return `no type ${resource.type_url}`;
  return type.decode(context, asLibraryAny(resource)).error ?? '';
}

const metadataOf = ({ headers = {} }: GrpcCall): Metadata => {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  return metadata;
};

const managerUrl =
  'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';

function accessRules(listener: Packed): RbacPolicyGroup {
  const message = decodeSingleResource(
    'type.googleapis.com/envoy.config.listener.v3.Listener',
    asLibraryAny(listener).value,
  );
  const filter = message.default_filter_chain?.filters[0]?.typed_config;
  if (!filter) throw new Error('the listener has no filter');
  const rbac = decodeSingleResource(managerUrl, filter.value).http_filters[0]?.typed_config;
  const parsed = rbac && parseTopLevelFilterConfig(rbac, false);
  return (parsed as { config: RbacPolicyGroup }).config;
}

function answerCalls({ listener, asked }: NonNullable<GrpcQuestions['calls']>): boolean[] {
  const rules = accessRules(listener);
  return asked.map(call => {
    const headers = metadataOf(call);
    headers.set(':method', 'POST');
    return rules.apply({
      destinationIp: '127.0.0.1',
      destinationPort: 8080,
      sourceIp: '127.0.0.1',
      headers,
      tls: true,
      peerCertificate: { subjectaltname: `URI:${call.peer}`, subject: {} },
      urlPath: call.path,
    });
  });
}

function answerDials({ routes, asked }: NonNullable<GrpcQuestions['dials']>): Record<string, number>[] {
  const url = 'type.googleapis.com/envoy.config.route.v3.RouteConfiguration';
  const [host] = decodeSingleResource(url, asLibraryAny(routes).value).virtual_hosts;
  return asked.map(call => {
    const found = host?.routes.find(
      ({ match }) => match && getPredicateForMatcher(match).apply(call.path, metadataOf(call)),
    );
    const clusters = found?.route?.weighted_clusters?.clusters ?? [];
    return Object.fromEntries(clusters.map(({ name, weight }) => [name, weight?.value ?? 0]));
  });
}

function answer({ resources = [], calls, dials }: GrpcQuestions): GrpcAnswers {
  return {
    errors: resources.map(errorOf),
    allowed: calls ? answerCalls(calls) : [],
    clusters: dials ? answerDials(dials) : [],
  };
}

register();
parentPort?.on('message', (questions: GrpcQuestions) => parentPort?.postMessage(answer(questions)));
