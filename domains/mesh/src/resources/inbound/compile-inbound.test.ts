import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { InboundPolicy, InboundRule, ProxyScope } from '../../model/proxy-scope.ts';
import type { EncodedResource } from '../../model/resource.ts';
import type { HttpMatch } from '../../model/topology.ts';
import { createResourceCompiler } from '../create-resource-compiler.ts';
import { loadEnvoyProtos } from '../proto/load-envoy-protos.ts';
import { decodeResource } from '../test-decode.ts';
import { type InboundRequest, judge, type Verdict } from '../test-envoy.ts';
import { books, envoyScope, match, policy, principalOf, workloadPorts } from '../test-samples.ts';

const compile = async (inbound: InboundPolicy, scope: ProxyScope = envoyScope) => {
  const root = await loadEnvoyProtos();
  const resources = createResourceCompiler(root).inbound(inbound, scope);
  const decode = (resource: EncodedResource): object => decodeResource(root, resource);
  const ask = (request: Partial<InboundRequest>): Verdict =>
    judge(resources, decode, { port: 8080, peer: '', method: 'GET', path: '/books', headers: {}, ...request });
  return { resources, decode, ask };
};

test('a workload has one listener, and for each of its ports a cluster and, for HTTP, routes', async () => {
  const { resources } = await compile(policy);
  assert.deepEqual(
    resources.map(({ type, name }) => `${type} ${name}`),
    ['cluster acme/local|5432', 'cluster acme/local|8080', 'listener inbound-listener', 'route acme/inbound|8080'],
  );
  assert.deepEqual((await compile({ ports: [], rules: policy.rules })).resources, []);
});

test('requests are allowed, denied or unknown by the policy', async () => {
  const { ask } = await compile(policy);
  const cart = { peer: principalOf('cart') };
  const auditor = { peer: principalOf('auditor') };
  const order = { method: 'PUT', path: '/carts/7', headers: { 'x-client': 'app' } };
  assert.equal(ask({ ...cart }), 200);
  assert.equal(ask({ ...cart, path: '/books/7' }), 200, 'the beginning of the path matches');
  assert.equal(ask({ ...cart, path: '/old/books' }), 404, 'only the beginning');
  assert.equal(ask({ ...cart, method: 'DELETE' }), 404);
  assert.equal(ask({ ...cart, ...order }), 200);
  assert.equal(ask({ ...cart, ...order, headers: { 'x-client': 'apple' } }), 404, 'all of the header must match');
  assert.equal(ask({ ...auditor, ...order }), 403);
  assert.equal(ask({ ...auditor }), 200, 'two policies with the same match add up');
  assert.equal(ask({ peer: principalOf('stranger') }), 'closed');
  assert.equal(ask({ ...auditor, port: 5432 }), 200);
  assert.equal(ask({ ...cart, port: 5432 }), 'closed', 'rights to requests are none to connections');
});

test('a request that several policies match is allowed when one of them allows it', async () => {
  const rules: InboundRule[] = [
    { source: 'a/wide', principals: [principalOf('alice')], http: [match({ pathRegex: '/b' })] },
    { source: 'b/narrow', principals: [principalOf('bob')], http: [match({ pathRegex: '/books/7' })] },
  ];
  const { ask } = await compile({ ports: workloadPorts, rules });
  const path = '/books/7';
  assert.deepEqual(
    ['alice', 'bob', 'carol'].map(name => ask({ path, peer: principalOf(name) })),
    [200, 200, 'closed'],
  );
  assert.equal(ask({ path: '/books/8', peer: principalOf('bob') }), 403);
});

test('rights to requests may be limited to ports', async () => {
  const ports = [8080, 9090].map(targetPort => ({
    service: books.service,
    name: '',
    port: 80,
    protocol: 'http' as const,
    targetPort,
  }));
  const http = [match({ pathRegex: '/books' })];
  const rules = [
    { source: 'a/one', principals: [principalOf('alice')], http, httpPorts: [9090] },
    { source: 'a/two', principals: [principalOf('alice')], http: [match({ pathRegex: '/carts' })] },
  ];
  const { ask } = await compile({ ports, rules });
  const peer = principalOf('alice');
  assert.deepEqual(
    [8080, 9090].map(port => ask({ port, peer })),
    [404, 200],
  );
});

test('without a policy no caller connects; in a permissive mesh all of the tenant do, and no other', async () => {
  const denied = await compile({ ...policy, rules: [] });
  const open = await compile({ ...policy, rules: [] }, { ...envoyScope, isPermissive: true });
  const peer = principalOf('anybody');
  const foreign = peer.replace('/tenant/acme/', '/tenant/evil/');
  for (const port of [8080, 5432]) {
    assert.equal(denied.ask({ port, peer }), 'closed');
    assert.equal(open.ask({ port, peer }), 200);
    assert.equal(open.ask({ port, peer: foreign }), 'closed');
  }
});

interface DecodedPlaintext {
  readonly address: { readonly socket_address: { readonly port_value: number } };
  readonly continue_on_listener_filters_timeout?: boolean;
  readonly filter_chains: readonly {
    readonly name: string;
    readonly filter_chain_match: object;
    readonly filters: readonly { readonly name: string }[];
    readonly transport_socket?: object;
  }[];
}

const plaintextOf = async (inbound: InboundPolicy, scope: ProxyScope) => {
  const { resources, decode } = await compile(inbound, scope);
  const listener = resources.find(({ type }) => type === 'listener') ?? assert.fail('no listener');
  const { filter_chains, ...rest } = decode(listener) as DecodedPlaintext;
  const chains = filter_chains.filter(({ transport_socket }) => transport_socket === undefined);
  for (const { filters } of chains)
    assert.deepEqual(
      filters.map(({ name }) => name),
      ['envoy.filters.network.tcp_proxy'],
    );
  const clusters = resources.filter(({ type }) => type === 'cluster').map(({ name }) => name);
  return { clusters, rest, matches: chains.map(({ filter_chain_match }) => filter_chain_match) };
};

test('a permissive mesh accepts connections without TLS beside those with TLS', async () => {
  const strict = await plaintextOf(policy, envoyScope);
  assert.deepEqual([strict.matches, strict.rest.continue_on_listener_filters_timeout], [[], undefined]);
  const traffic = { egress: 'passthrough', mtls: 'permissive' } as const;
  const { matches, rest } = await plaintextOf(policy, { ...envoyScope, traffic });
  assert.deepEqual(
    matches,
    [5432, 8080].map(value => ({ destination_port: { value }, transport_protocol: 'raw_buffer' })),
  );
  assert.ok(rest.continue_on_listener_filters_timeout, 'a workload may speak first');
});

test('ports of probes and metrics are open without TLS, also for a workload without callers', async () => {
  const ports = { outbound: 15_001, inbound: 16_003, plaintext: [8080, 9090] };
  const { matches, clusters, rest } = await plaintextOf(policy, { ...envoyScope, ports });
  assert.deepEqual(matches, [
    { destination_port: { value: 8080 }, transport_protocol: 'raw_buffer' },
    { destination_port: { value: 9090 } },
  ]);
  assert.deepEqual(clusters, ['acme/local|5432', 'acme/local|8080', 'acme/local|9090']);
  assert.equal(rest.address.socket_address.port_value, 16_003);
  const uncalled = await plaintextOf({ ports: [], rules: [] }, { ...envoyScope, ports });
  assert.deepEqual(uncalled.clusters, ['acme/local|8080', 'acme/local|9090']);
});

interface DecodedTls {
  readonly filter_chains: readonly {
    readonly filter_chain_match: object;
    readonly transport_socket: {
      readonly typed_config: { readonly common_tls_context: object; readonly require_client_certificate: object };
    };
  }[];
}

const sds = (name: string) => ({ name, sds_config: { ads: {}, resource_api_version: 'V3' } });
const identity = {
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
};

test('callers need a certificate; where the workload may speak first, the handshake verifies the caller', async () => {
  const { resources, decode } = await compile(policy);
  const listener = resources.find(({ type }) => type === 'listener') ?? assert.fail('no listener');
  const [tcp, http] = (decode(listener) as DecodedTls).filter_chains;
  assert.deepEqual(http?.filter_chain_match, {
    destination_port: { value: 8080 },
    transport_protocol: 'tls',
    application_protocols: ['chandlery', 'h2', 'http/1.1'],
  });
  assert.deepEqual(http.transport_socket.typed_config, {
    common_tls_context: {
      ...identity,
      validation_context_sds_secret_config: sds('root-cert-for-mtls-inbound'),
      alpn_protocols: ['chandlery', 'h2', 'http/1.1'],
    },
    require_client_certificate: { value: true },
  });
  assert.deepEqual(tcp?.transport_socket.typed_config, {
    common_tls_context: {
      ...identity,
      combined_validation_context: {
        default_validation_context: {
          match_typed_subject_alt_names: [{ san_type: 'URI', matcher: { exact: principalOf('auditor') } }],
        },
        validation_context_sds_secret_config: sds('root-cert-for-mtls-inbound'),
      },
      alpn_protocols: ['chandlery'],
    },
    require_client_certificate: { value: true },
  });
  const denied = await compile({ ...policy, rules: [] });
  const closed = denied.resources.find(({ type }) => type === 'listener') ?? assert.fail('no listener');
  assert.match(JSON.stringify(denied.decode(closed)), /"matcher":\{"exact":"nobody"\}/);
});

test('the local cluster is the workload on its own port', async () => {
  const { resources, decode } = await compile(policy);
  const cluster = resources.find(({ name }) => name === 'acme/local|8080') ?? assert.fail('no cluster');
  const { load_assignment } = decode(cluster) as { load_assignment: object };
  assert.deepEqual(load_assignment, {
    cluster_name: 'acme/local|8080',
    endpoints: [
      { lb_endpoints: [{ endpoint: { address: { socket_address: { address: '127.0.0.1', port_value: 8080 } } } }] },
    ],
  });
});

const names = ['alice', 'bob', 'carol'];
const methods = ['GET', 'POST'];
const paths = ['/a', '/ab', '/b', '/b/a'];
const anyMatch: fc.Arbitrary<HttpMatch> = fc.record({
  name: fc.constant('m'),
  pathRegex: fc.constantFrom('/a', '/b', '/b/.', '/(a|b)b?', '.*'),
  methods: fc.subarray(methods),
  headers: fc.constantFrom<Record<string, string>>({}, { 'x-v': '1|2' }),
});
const anyRules = fc
  .array(fc.tuple(fc.subarray(names, { minLength: 1 }), fc.array(anyMatch, { maxLength: 3 })), { maxLength: 4 })
  .map(rules =>
    rules.map(([callers, http], index) => ({ source: `r/${index}`, principals: callers.map(principalOf), http })),
  );
const anyAsked = fc.record({
  peer: fc.constantFrom(...names).map(principalOf),
  method: fc.constantFrom(...methods),
  path: fc.constantFrom(...paths),
  headers: fc.constantFrom<Record<string, string>>({}, { 'x-v': '2' }, { 'x-v': '12' }),
});

/** The expected result of a match, directly from its definition. */
const fits = (rule: HttpMatch, asked: Pick<InboundRequest, 'method' | 'path' | 'headers'>): boolean =>
  new RegExp(`^(?:${rule.pathRegex})`).test(asked.path) &&
  (rule.methods.length === 0 || rule.methods.includes(asked.method)) &&
  Object.entries(rule.headers).every(([name, regex]) => new RegExp(`^(?:${regex})$`).test(asked.headers[name] ?? ''));

function expected(rules: readonly InboundRule[], asked: Omit<InboundRequest, 'port'>): Verdict {
  const own = rules.filter(({ principals, http }) => principals.includes(asked.peer) && http.length > 0);
  if (own.length === 0) return 'closed';
  const isFitting = ({ http }: InboundRule): boolean => http.some(each => fits(each, asked));
  if (own.some(isFitting)) return 200;
  return rules.some(isFitting) ? 403 : 404;
}

test('what is compiled decides about any request as the policies do', async () => {
  const root = await loadEnvoyProtos();
  const compiler = createResourceCompiler(root);
  const decode = (resource: EncodedResource): object => decodeResource(root, resource);
  const ports = workloadPorts.filter(({ service }) => service === books.service);
  fc.assert(
    fc.property(anyRules, fc.array(anyAsked, { minLength: 1, maxLength: 5 }), (rules, requests) => {
      const resources = compiler.inbound({ ports, rules }, envoyScope);
      for (const asked of requests)
        assert.equal(judge(resources, decode, { ...asked, port: 8080 }), expected(rules, asked));
    }),
  );
});
