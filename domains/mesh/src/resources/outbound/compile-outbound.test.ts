import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OutboundService } from '../../model/proxy-scope.ts';
import { createResourceCompiler } from '../create-resource-compiler.ts';
import { loadEnvoyProtos } from '../proto/load-envoy-protos.ts';
import { decodeResource } from '../test-decode.ts';
import { books, envoyScope, grpcScope, match, principalOf, splitBooks } from '../test-samples.ts';

const compile = async (service: OutboundService, scope = envoyScope) => {
  const root = await loadEnvoyProtos();
  const resources = createResourceCompiler(root).outboundService(service, scope);
  const decoded = (type: string, name: string): Record<string, unknown> =>
    decodeResource(root, resources.find(each => each.type === type && each.name === name) ?? assert.fail(name));
  return { resources, decoded };
};

interface DecodedChain {
  readonly name: string;
  readonly filter_chain_match: object;
  readonly filters: readonly [{ readonly name: string; readonly typed_config: Readonly<Record<string, unknown>> }];
}

const listenerOf = async (services: readonly OutboundService[], scope = envoyScope) => {
  const root = await loadEnvoyProtos();
  const resources = createResourceCompiler(root).outboundListener(services, scope);
  const listener = decodeResource(
    root,
    resources.find(({ type }) => type === 'listener') ?? assert.fail('no listener'),
  );
  const [own, ...chains] = (listener.filter_chains as readonly DecodedChain[]).toReversed();
  return { resources, listener, own, chains: chains.reverse() };
};

const chainsOf = async (services: readonly OutboundService[]): Promise<readonly DecodedChain[]> =>
  (await listenerOf(services)).chains;

const unlimited = { value: 0xffffffff };
const limits = {
  max_connections: unlimited,
  max_pending_requests: unlimited,
  max_requests: unlimited,
  max_retries: unlimited,
};
const overAds = { ads: {}, resource_api_version: 'V3' };
const common = {
  name: 'acme/shop/books|80',
  type: 'EDS',
  eds_cluster_config: { eds_config: overAds, service_name: 'acme/shop/books|80' },
  connect_timeout: { seconds: 2 },
  lb_policy: 'ROUND_ROBIN',
  lrs_server: { self: {}, resource_api_version: 'V3' },
};
const http = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';

test('Envoy has a cluster per port, and subscribes to secrets by name', async () => {
  const { resources, decoded } = await compile(books);
  assert.deepEqual(
    resources.map(({ type, name }) => `${type} ${name}`),
    ['cluster acme/shop/books|80', 'cluster acme/shop/books|5432', 'route acme/shop/books|80'],
  );
  assert.deepEqual(decoded('cluster', 'acme/shop/books|80'), {
    ...common,
    common_lb_config: { locality_weighted_lb_config: {}, healthy_panic_threshold: { value: 0 } },
    outlier_detection: {
      split_external_local_origin_errors: true,
      consecutive_local_origin_failure: { value: 5 },
      enforcing_consecutive_local_origin_failure: { value: 100 },
      consecutive_gateway_failure: { value: 5 },
      enforcing_consecutive_gateway_failure: { value: 100 },
      enforcing_consecutive_5xx: { value: 0 },
      enforcing_success_rate: { value: 0 },
      enforcing_local_origin_success_rate: { value: 0 },
      interval: { seconds: 5 },
      base_ejection_time: { seconds: 5 },
      max_ejection_time: { seconds: 120 },
      max_ejection_percent: { value: 67 },
      always_eject_one_host: { value: false },
    },
    upstream_connection_options: {
      tcp_keepalive: {
        keepalive_time: { value: 20 },
        keepalive_interval: { value: 5 },
        keepalive_probes: { value: 3 },
      },
    },
    circuit_breakers: {
      thresholds: [
        { priority: 'DEFAULT', ...limits },
        { priority: 'HIGH', ...limits },
      ],
    },
    typed_extension_protocol_options: {
      [http]: {
        use_downstream_protocol_config: {
          http_protocol_options: {},
          http2_protocol_options: {
            connection_keepalive: { interval: { seconds: 30 }, timeout: { seconds: 10 } },
          },
        },
      },
    },
    transport_socket: {
      name: 'envoy.transport_sockets.tls',
      typed_config: {
        common_tls_context: {
          tls_params: { tls_minimum_protocol_version: 'TLSv1_2', tls_maximum_protocol_version: 'TLSv1_3' },
          tls_certificate_sds_secret_configs: [
            {
              name: 'service-cert',
              sds_config: {
                path_config_source: { path: '/mesh/workload-certificate.yaml', watched_directory: { path: '/mesh' } },
                resource_api_version: 'V3',
              },
            },
          ],
          validation_context_sds_secret_config: { name: 'root-cert-for-mtls-outbound:shop/books', sds_config: overAds },
        },
        sni: 'books.shop.svc.cluster.local',
      },
    },
  });
  assert.equal(decoded('cluster', 'acme/shop/books|5432').typed_extension_protocol_options, undefined);
});

test('Envoy checks the endpoints of a service with a health check, with ALPN', async () => {
  type Check = Record<'tcp_health_check' | 'http_health_check' | 'tls_options', object | undefined>;
  const checkOf = async (service: OutboundService, port: number, scope = envoyScope): Promise<Check | undefined> => {
    const cluster = (await compile(service, scope)).decoded('cluster', `acme/shop/books|${port}`);
    return (cluster.health_checks as Check[] | undefined)?.[0];
  };
  assert.equal(await checkOf(books, 80), undefined);
  const path = { ...books, healthCheck: { path: '/healthz' } } as const;
  const http = await checkOf(path, 80);
  assert.deepEqual(http?.http_health_check, { path: '/healthz', host: 'books.shop.svc.cluster.local' });
  assert.deepEqual(http?.tls_options, { alpn_protocols: ['http/1.1'] });
  const connection = { ...books, healthCheck: 'tcp' } as const;
  const connected = await checkOf(connection, 80);
  assert.deepEqual(connected?.tcp_health_check, {});
  assert.deepEqual(connected?.tls_options, { alpn_protocols: ['h2', 'http/1.1'] });
  const raw = await checkOf(path, 5432);
  assert.deepEqual(raw?.tcp_health_check, {}, 'no request goes to a port that does not speak HTTP');
  assert.equal(await checkOf(connection, 80, grpcScope), undefined);
});

const grpcTls = (exact: string) => ({
  name: 'envoy.transport_sockets.tls',
  typed_config: {
    common_tls_context: {
      tls_certificate_provider_instance: { instance_name: 'default' },
      validation_context: {
        ca_certificate_provider_instance: { instance_name: 'default' },
        match_subject_alt_names: [{ exact }],
      },
    },
  },
});

test('gRPC reads certificates by its bootstrap, and accepts no server for a service without accounts', async () => {
  const { decoded } = await compile(books, grpcScope);
  const transport_socket = grpcTls(principalOf('books'));
  assert.deepEqual(decoded('cluster', 'acme/shop/books|80'), { ...common, transport_socket });
  const empty = await compile({ ...books, principals: [] }, grpcScope);
  assert.deepEqual(empty.decoded('cluster', 'acme/shop/books|80').transport_socket, grpcTls('nobody'));
});

const retry_policy = {
  retry_on: 'connect-failure,refused-stream,reset-before-request',
  num_retries: { value: 2 },
  retry_host_predicate: [{ name: 'envoy.retry_host_predicates.previous_hosts', typed_config: {} }],
  host_selection_retry_max_attempts: 5,
};

const weighted = (clusters: Readonly<Record<string, number>>) => ({
  weighted_clusters: {
    clusters: Object.entries(clusters).map(([name, value]) => ({ name: `acme/shop/${name}|80`, weight: { value } })),
  },
  timeout: { seconds: 0 },
  idle_timeout: { seconds: 0 },
  retry_policy,
});

const routesOf = async (service: OutboundService, scope = envoyScope) => {
  const { decoded } = await compile(service, scope);
  const [host] = decoded('route', 'acme/shop/books|80').virtual_hosts as { routes?: object[] }[];
  return host?.routes;
};

test('routes are found whatever the host is called: the address has led to just this service', async () => {
  const { decoded } = await compile(books);
  assert.deepEqual(decoded('route', 'acme/shop/books|80'), {
    name: 'acme/shop/books|80',
    virtual_hosts: [
      {
        name: 'acme/shop/books|80',
        domains: ['*'],
        routes: [{ match: { prefix: '/' }, route: weighted({ books: 1 }) }],
      },
    ],
    validate_clusters: { value: false },
  });
});

test('a split gives each backend its weight, sorted, and none to those without', async () => {
  assert.deepEqual(await routesOf(splitBooks({ 'books-v2': 20, 'books-old': 0, books: 80 })), [
    { match: { prefix: '/' }, route: weighted({ 'books-v2': 20, books: 80 }) },
  ]);
});

test('a split whose weights are all 0 returns 503, also for its matches only', async () => {
  const zero = { books: 0, 'books-v2': 0 };
  const direct_response = { status: 503, body: { inline_string: 'the weights of the split add up to 0' } };
  assert.deepEqual(await routesOf(splitBooks(zero)), [{ match: { prefix: '/' }, direct_response }]);
  assert.deepEqual(await routesOf(splitBooks(zero, [match({ pathRegex: '/api' })])), [
    { match: { safe_regex: { regex: '(?:/api).*' } }, direct_response },
    { match: { prefix: '/' }, route: weighted({ books: 1 }) },
  ]);
});

test('gRPC libraries, which choose among open connections, get no retry policy', async () => {
  assert.doesNotMatch(JSON.stringify(await routesOf(books, grpcScope)), /retry/);
});

test('a split with matches precedes the route to the service itself, each match once', async () => {
  const matches = [
    match({ name: 'one', pathRegex: '/api', methods: ['PUT', 'GET'], headers: { host: 'a.*', 'x-beta': '1' } }),
    match({ name: 'two', pathRegex: '/api', methods: ['GET', 'PUT'], headers: { 'x-beta': '1', host: 'a.*' } }),
  ];
  const header = (name: string, regex: string) => ({ name, string_match: { safe_regex: { regex: `(?:${regex})` } } });
  assert.deepEqual(await routesOf(splitBooks({ 'books-v2': 1 }, matches)), [
    {
      match: {
        safe_regex: { regex: '(?:/api).*' },
        headers: [header(':method', 'GET|PUT'), header(':authority', 'a.*'), header('x-beta', '1')],
      },
      route: weighted({ 'books-v2': 1 }),
    },
    { match: { prefix: '/' }, route: weighted({ books: 1 }) },
  ]);
});

test('weights beyond the range are scaled, and no positive weight becomes 0', async () => {
  const [route] = (await routesOf(splitBooks({ a: 6e12, b: 2e12, c: 1 }))) as [{ route: ReturnType<typeof weighted> }];
  const [a = 0, b = 0, c = 0] = route.route.weighted_clusters.clusters.map(({ weight }) => weight.value);
  assert.ok(a + b + c <= 0xffffffff);
  assert.ok(Math.abs(a / b - 3) < 1e-6);
  assert.equal(c, 1);
});

test('the listener leads from addresses and ports to routes, or to clusters by weight', async () => {
  const chains = await chainsOf([splitBooks({ 'books-v2': 1, books: 3 })]);
  const prefix_ranges = [
    { address_prefix: '10.96.0.7', prefix_len: { value: 32 } },
    { address_prefix: 'fd00::7', prefix_len: { value: 128 } },
  ];
  assert.deepEqual(
    chains.map(({ name, filter_chain_match }) => [name, filter_chain_match]),
    [
      ['shop/books|80', { destination_port: { value: 80 }, prefix_ranges }],
      ['shop/books|5432', { destination_port: { value: 5432 }, prefix_ranges }],
    ],
  );
  const [requests, connections] = chains.map(({ filters }) => filters[0].typed_config);
  assert.deepEqual(requests?.rds, { config_source: overAds, route_config_name: 'acme/shop/books|80' });
  assert.deepEqual(connections?.weighted_clusters, {
    clusters: [
      { name: 'acme/shop/books-v2|5432', weight: 1 },
      { name: 'acme/shop/books|5432', weight: 3 },
    ],
  });
});

test('connections are not divided by a split with matches', async () => {
  const [, connections] = await chainsOf([splitBooks({ 'books-v2': 1 }, [match({})])]);
  assert.deepEqual(connections?.filters[0].typed_config.weighted_clusters, {
    clusters: [{ name: 'acme/shop/books|5432', weight: 1 }],
  });
});

test('an address and port that two services claim leads to the first by name', async () => {
  const twin = { ...books, service: { namespace: 'shop', name: 'a-twin' }, addresses: ['10.96.0.7'] };
  const chains = await chainsOf([books, twin]);
  assert.deepEqual(
    chains.map(({ name, filter_chain_match }) => [name, JSON.stringify(filter_chain_match).includes('10.96.0.7')]),
    [
      ['shop/a-twin|80', true],
      ['shop/a-twin|5432', true],
      ['shop/books|80', false],
      ['shop/books|5432', false],
    ],
  );
});

const clustersIn = (chain: DecodedChain | undefined): unknown => chain?.filters[0].typed_config.weighted_clusters;
const closed = { clusters: [{ name: 'nowhere', weight: 1 }] };

test('connections to a split without backends are closed, and not passed through', async () => {
  const [, connections] = await chainsOf([splitBooks({ books: 0 })]);
  assert.deepEqual(clustersIn(connections), closed);
});

test('destinations outside the mesh are passed through, also for accounts without access', async () => {
  const { resources, listener, own, chains } = await listenerOf([]);
  assert.deepEqual(
    resources.map(({ type, name }) => `${type} ${name}`),
    ['cluster passthrough', 'listener outbound-listener'],
  );
  assert.deepEqual(chains, []);
  assert.deepEqual(clustersIn(listener.default_filter_chain as DecodedChain), {
    clusters: [{ name: 'passthrough', weight: 1 }],
  });
  assert.deepEqual(own?.filter_chain_match, { destination_port: { value: 15_001 } });
  assert.deepEqual(clustersIn(own), closed, 'a connection to Envoy itself must not come back for ever');
});

test('a mesh that denies egress leads nowhere else, and its listeners are there all the same', async () => {
  const traffic = { egress: 'deny', mtls: 'strict' } as const;
  const { resources, listener } = await listenerOf([], { ...envoyScope, traffic });
  assert.deepEqual(
    resources.map(({ name }) => name),
    ['outbound-listener'],
  );
  assert.equal(listener.default_filter_chain, undefined);
});

test('neither the order of services nor of backends and addresses changes a byte', async () => {
  const compiler = createResourceCompiler(await loadEnvoyProtos());
  const other = { ...books, service: { namespace: 'shop', name: 'other' }, addresses: ['10.96.0.8', '10.96.0.9'] };
  const shuffled = { ...other, addresses: other.addresses.toReversed() };
  assert.deepEqual(
    compiler.outboundListener([books, other], envoyScope),
    compiler.outboundListener([shuffled, books], envoyScope),
  );
  assert.deepEqual(
    compiler.outboundService(splitBooks({ a: 1, b: 2 }), envoyScope),
    compiler.outboundService(splitBooks({ b: 2, a: 1 }), envoyScope),
  );
});
