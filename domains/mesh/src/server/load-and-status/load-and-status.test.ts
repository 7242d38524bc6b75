import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '@chandlery/platform';
import { eventually } from '@chandlery/testing';
import { status } from '@grpc/grpc-js';
import { typeUrls } from '../../model/resource.ts';
import { loadEnvoyProtos } from '../../resources/proto/load-envoy-protos.ts';
import { TestByteCall } from '../../test-xds-client/test-byte-call.ts';
import { otherMethods } from '../discovery/discovery-methods.ts';
import { startTestServer, type TestServer } from '../test-server.ts';

async function encode(type: string, fields: object): Promise<Buffer> {
  const root = await loadEnvoyProtos();
  return Buffer.from(root.lookupType(`envoy.service.${type}`).encode(fields).finish());
}

async function decode<T>(type: string, message: Buffer): Promise<T> {
  const found = (await loadEnvoyProtos()).lookupType(`envoy.service.${type}`);
  return found.toObject(found.decode(message), { longs: Number, enums: String }) as T;
}

const report = (cluster: string): object => ({
  cluster_name: cluster,
  load_report_interval: { seconds: 10 },
  dropped_requests: [{ category: 'lb', dropped_count: 2 }],
  upstream_locality_stats: [
    { locality: { zone: 'a' }, total_issued_requests: 10, total_successful_requests: 7, total_error_requests: 3 },
    { locality: { zone: 'b' }, total_issued_requests: 1, total_successful_requests: 1 },
  ],
});

test('proxies are asked for load reports, which are summed up', async () => {
  const clock = new ManualClock(new Date());
  await using mesh = await startTestServer({ clock });
  const call = new TestByteCall((await mesh.connect()).session, otherMethods.loadStats);
  call.send(await encode('load_stats.v3.LoadStatsRequest', { node: { id: 'proxy-1' } }));
  assert.deepEqual(await decode('load_stats.v3.LoadStatsResponse', await call.next()), {
    send_all_clusters: true,
    load_reporting_interval: { seconds: 10, nanos: 0 },
  });
  const foreign = report('umbrella/lab/virus|80');
  call.send(await encode('load_stats.v3.LoadStatsRequest', { cluster_stats: [report('acme/shop/cart|80'), foreign] }));
  call.send(await encode('load_stats.v3.LoadStatsRequest', { cluster_stats: [report('acme/shop/cart|81')] }));
  await eventually(async () => /load_reports_total{outcome="kept"} 2/.test(await mesh.metrics.render()));
  clock.advance(30_000);
  const { start, end, edges } = mesh.loads.lastWindow('acme');
  assert.equal(end.getTime() - start.getTime(), 30_000);
  assert.deepEqual(edges, [
    {
      tenant: 'acme',
      source: { namespace: 'shop', name: 'web' },
      destination: { namespace: 'shop', name: 'cart' },
      issued: 22,
      successful: 16,
      failed: 6,
      dropped: 4,
    },
  ]);
  assert.deepEqual(mesh.loads.lastWindow('umbrella').edges, []);
});

test('load reports need a node and a certificate, and can be read', async () => {
  await using mesh = await startTestServer();
  const { session } = await mesh.connect();
  const nameless = new TestByteCall(session, otherMethods.loadStats);
  nameless.send(await encode('load_stats.v3.LoadStatsRequest', {}));
  assert.equal((await nameless.ended()).code, status.INVALID_ARGUMENT);
  const garbled = new TestByteCall(session, otherMethods.loadStats);
  garbled.send(Buffer.from([0x12, 0x7f]));
  assert.equal((await garbled.ended()).code, status.INVALID_ARGUMENT);
  const unknown = new TestByteCall((await mesh.connect({ certificate: 'none' })).session, otherMethods.loadStats);
  assert.equal((await unknown.ended()).code, status.UNAUTHENTICATED);
});

interface Shown {
  readonly config?: readonly {
    readonly node: { readonly id: string };
    readonly generic_xds_configs: readonly {
      readonly type_url: string;
      readonly name: string;
      readonly config_status: string;
      readonly client_status: string;
      readonly xds_config?: { readonly type_url: string };
      readonly error_state?: { readonly details: string };
    }[];
  }[];
}

async function askStatus(mesh: TestServer, fields: object, tenant = 'acme'): Promise<Shown> {
  const { session } = await mesh.connect({ identity: { tenant, proxyId: 'tool' } });
  const call = new TestByteCall(session, otherMethods.clientStatus);
  call.send(await encode('status.v3.ClientStatusRequest', fields));
  return decode<Shown>('status.v3.ClientStatusResponse', await call.next());
}

const secretContent = 'a private key';

async function meshWithTwoProxies(): Promise<TestServer> {
  const mesh = await startTestServer();
  mesh.registry.addMesh('umbrella');
  mesh.view.change(edit => {
    edit.set('cluster', 'a');
    edit.set('secret', 's', secretContent);
  });
  for (const id of ['good', 'bad']) {
    const stream = (await mesh.connect({ identity: { proxyId: id } })).open();
    stream.send({ typeUrl: typeUrls.cluster });
    const clusters = await stream.next();
    if (id === 'good') stream.ack(clusters);
    else stream.nack(clusters, 'no such filter');
    stream.send({ typeUrl: typeUrls.secret, names: ['s'] });
    stream.ack(await stream.next());
  }
  await eventually(() => [...mesh.streams.status()].every(({ types }) => types.every(({ isInFlight }) => !isInFlight)));
  return mesh;
}

test('tools see how the proxies of their mesh stand, and never a key', async () => {
  await using mesh = await meshWithTwoProxies();
  const { config = [] } = await askStatus(mesh, {});
  const seen = config.map(client => [
    client.node.id,
    ...client.generic_xds_configs.map(each => [
      each.name,
      each.config_status,
      each.client_status,
      each.error_state?.details,
    ]),
  ]);
  assert.deepEqual(seen, [
    ['good', ['a', 'SYNCED', 'ACKED', undefined], ['s', 'SYNCED', 'ACKED', undefined]],
    ['bad', ['a', 'ERROR', 'NACKED', 'no such filter'], ['s', 'SYNCED', 'ACKED', undefined]],
  ]);
  assert.deepEqual(
    config[0]?.generic_xds_configs.map(each => each.xds_config?.type_url),
    [typeUrls.cluster, undefined],
  );
  assert.doesNotMatch(JSON.stringify(config), new RegExp(Buffer.from(secretContent).toString('base64').slice(0, 12)));
  assert.doesNotMatch(JSON.stringify(config), new RegExp([...Buffer.from(secretContent)].join(',')));
});

test('clients may select proxies and leave out contents', async () => {
  await using mesh = await meshWithTwoProxies();
  const matchers = [{ node_id: { prefix: 'BA', ignore_case: true } }];
  const { config = [] } = await askStatus(mesh, { node_matchers: matchers, exclude_resource_contents: true });
  assert.deepEqual(
    config.map(({ node, generic_xds_configs: configs }) => [node.id, configs.some(each => each.xds_config)]),
    [['bad', false]],
  );
});

test('tools of one mesh see nothing of another', async () => {
  await using mesh = await meshWithTwoProxies();
  assert.deepEqual(await askStatus(mesh, {}, 'umbrella'), {});
});

test('an unsupported matcher of proxies is rejected', async () => {
  await using mesh = await startTestServer();
  const { session } = await mesh.connect();
  const call = new TestByteCall(session, otherMethods.fetchClientStatus);
  const matchers = [{ node_metadatas: [{ path: [{ key: 'x' }] }] }];
  call.send(await encode('status.v3.ClientStatusRequest', { node_matchers: matchers }));
  call.finish();
  assert.equal((await call.ended()).code, status.INVALID_ARGUMENT);
});
