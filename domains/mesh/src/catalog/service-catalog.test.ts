import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Dialect } from '../model/proxy-scope.ts';
import { inboundListenerName, outboundListenerName, serverListenerPrefix } from '../model/resource-names.ts';
import type { ConnectedProxy, ViewChange } from '../ports.ts';
import { ServiceCatalog } from './service-catalog.ts';
import { AuthorityDouble } from './test-authority-double.ts';
import { TestCompiler } from './test-compiler.ts';
import { TestDirectory } from './test-directory.ts';
import { TestEndpoints, testEndpoint } from './test-endpoints.ts';
import { TestTopology } from './test-topology.ts';

const tenant = 't';
const catalogName = 't/shop/catalog|80';
const ordersName = 't/shop/orders|80';

function start() {
  const parts = {
    topology: new TestTopology(),
    services: new TestDirectory(),
    endpoints: new TestEndpoints('test'),
    authority: new AuthorityDouble(),
    compiler: new TestCompiler(),
  };
  const { topology, services, endpoints } = parts;
  for (const name of ['catalog', 'orders']) {
    services.declare(`shop/${name}`, 80);
    endpoints.set(`shop/${name}`, [testEndpoint(`10.0.0.${name.length}`, { serviceAccount: name })]);
    topology.allow(`shop/${name}`, 'shop/web');
  }
  const catalog = new ServiceCatalog({
    ...parts,
    tenant,
    clusters: [{ name: 'east' }],
    providers: [endpoints],
    authority: parts.authority as unknown as ConstructorParameters<typeof ServiceCatalog>[0]['authority'],
  });
  const connect = (
    serviceAccount: string,
    dialect: Dialect = 'envoy',
    proxyId?: string,
    certificateFolder?: string,
  ) => {
    const identity = { trustDomain: 'cluster.local', tenant, cluster: 'east', namespace: 'shop', serviceAccount };
    const proven = { ...identity, ...(proxyId && { proxyId }) };
    const folder = certificateFolder === undefined ? {} : { certificateFolder };
    const connected = catalog.registerProxy({ nodeId: serviceAccount, identity: proven, dialect, peer: '', ...folder });
    return { connected, identity, view: connected.view, news: newsOf(connected) };
  };
  return { ...parts, catalog, connect };
}

/** The changes of a view since the last call: `type name…`, and `!` for an urgent one. */
function newsOf({ view }: ConnectedProxy): () => Promise<string[]> {
  let told: ViewChange[] = [];
  view.subscribe(change => told.push(change));
  return async () => {
    await nextTurn();
    await nextTurn();
    const texts = told.flatMap(({ changed, isUrgent }) =>
      [...changed].map(([type, names]) => `${isUrgent ? '!' : ''}${type} ${[...names].sort().join(' ')}`),
    );
    told = [];
    return texts;
  };
}

/** See {@link TestCompiler}. */
const deadEnd = JSON.stringify('nowhere');

test('a proxy sees what it may call, and nothing else', () => {
  const { connect, services, endpoints } = start();
  services.declare('shop/secret', 80);
  endpoints.set('shop/secret', [testEndpoint('10.0.0.9', { serviceAccount: 'secret' })]);
  const web = connect('web').view;
  assert.deepEqual(web.names('cluster'), [catalogName, ordersName]);
  assert.ok(web.get('endpoints', catalogName));
  for (const name of ['t/shop/secret|80', 'other/shop/catalog|80', 't/shop/catalog|81', 'nonsense']) {
    assert.equal(web.get('endpoints', name), undefined, name);
    assert.equal(web.get('cluster', name), undefined, name);
  }
  assert.deepEqual(connect('stranger').view.names('cluster'), []);
});

test('a change of endpoints is announced once to its subscribers, and costs others nothing', async () => {
  const { connect, endpoints, compiler } = start();
  const [reader, other] = [connect('web', 'grpc'), connect('catalog', 'grpc')];
  reader.view.get('endpoints', catalogName);
  other.view.get('endpoints', ordersName);
  await reader.news();
  compiler.asked.length = 0;
  const before = reader.view.version('endpoints');
  endpoints.set('shop/catalog', [testEndpoint('10.0.0.70', { serviceAccount: 'catalog' })]);
  assert.deepEqual(await reader.news(), [`!endpoints ${catalogName}`]);
  assert.deepEqual(await other.news(), []);
  assert.notEqual(reader.view.version('endpoints'), before);
  reader.view.get('endpoints', catalogName);
  assert.deepEqual(compiler.asked, [`endpoints ${catalogName}`], 'made anew once, and nothing else with it');
});

test('proxies of one account share one view and its resources', () => {
  const { connect, compiler } = start();
  const [first, second] = [connect('web'), connect('web')];
  assert.equal(first.view, second.view);
  compiler.asked.length = 0;
  first.view.get('endpoints', catalogName);
  const admin = connect('web', 'grpc');
  assert.equal(admin.view.get('endpoints', catalogName), first.view.get('endpoints', catalogName));
  assert.deepEqual(
    compiler.asked.filter(text => text.startsWith('endpoints')),
    [`endpoints ${catalogName}`],
  );
});

test('a new service is announced to wildcards and to subscribers of its name', async () => {
  const { connect, topology, services, endpoints } = start();
  const [whole, waiting] = [connect('web'), connect('web', 'grpc')];
  whole.view.names('cluster');
  for (const name of ['shop/late', 'late.shop']) assert.equal(waiting.view.get('listener', name)?.version, deadEnd);
  await whole.news();
  endpoints.set('shop/late', [testEndpoint('10.0.0.9', { serviceAccount: 'late' })]);
  services.declare('shop/late', 80);
  topology.allow('shop/late', 'shop/web');
  const late = 't/shop/late|80';
  const told = await whole.news();
  for (const type of ['cluster', 'route', 'endpoints']) assert.ok(told.includes(`!${type} ${late}`), told.join());
  assert.ok(told.includes(`!listener ${outboundListenerName}`));
  assert.ok((await waiting.news()).includes('!listener late.shop shop/late'));
});

test('a deleted service is removed from the view', async () => {
  const { connect, services } = start();
  const { view, news } = connect('web');
  view.names('cluster');
  await news();
  services.declare('shop/orders');
  assert.ok((await news()).includes(`!cluster ${ordersName}`));
  assert.deepEqual(view.names('cluster'), [catalogName]);
  assert.equal(view.get('endpoints', ordersName), undefined);
});

test('a gRPC client without access gets a dead-end listener, whether the service exists or not', async () => {
  const { connect, topology } = start();
  const { view, news } = connect('web', 'grpc');
  const dialled = view.get('listener', 'shop/orders')?.version;
  assert.notEqual(dialled, deadEnd);
  topology.allow('shop/orders');
  assert.ok((await news()).some(told => told === '!listener orders.shop shop/orders'));
  for (const name of ['shop/orders', 'orders.shop', 'shop/nobody', 'nobody.shop:80', 'shop/catalog:81'])
    assert.equal(view.get('listener', name)?.version, deadEnd, name);
  assert.equal(view.get('listener', 'nonsense'), undefined);
  assert.equal(connect('web').view.get('listener', 'shop/orders'), undefined, 'not for Envoy');
  topology.allow('shop/orders', 'shop/web');
  await news();
  assert.equal(view.get('listener', 'shop/orders')?.version, dialled);
});

test('revoked access is announced immediately, to both sides', async () => {
  const { connect, topology } = start();
  const [caller, called] = [connect('web'), connect('orders')];
  caller.view.names('cluster');
  called.view.get('listener', inboundListenerName);
  await caller.news();
  topology.allow('shop/orders');
  assert.ok((await caller.news()).includes(`!cluster ${ordersName}`));
  assert.ok((await called.news()).includes(`!listener ${inboundListenerName}`));
});

test('a service without endpoints stays, empty, for accounts with access to its namespace', async () => {
  const { connect, endpoints } = start();
  const { view, news } = connect('web');
  const before = view.get('endpoints', ordersName)?.version;
  endpoints.set('shop/orders', []);
  assert.ok((await news()).some(told => told.startsWith(`!endpoints ${ordersName}`)));
  const after = view.get('endpoints', ordersName)?.version;
  assert.ok(after !== undefined && after !== before);
  assert.ok(view.get('cluster', ordersName));
  assert.equal(connect('stranger').view.get('endpoints', ordersName), undefined);
});

test('what is the same has the same version, and a split is a difference', async () => {
  const { connect, topology } = start();
  const { view, news } = connect('web');
  const before = view.version('endpoints');
  assert.equal(view.version('endpoints'), before);
  topology.split('shop/catalog', { 'shop/orders': 1 });
  await news();
  assert.notEqual(view.version('endpoints'), before);
});

test('a split changes the routes of its root only, and divides endpoints for clients without routes', async () => {
  const { connect, topology, services, endpoints } = start();
  services.declare('shop/canary', 80);
  endpoints.set('shop/canary', [testEndpoint('10.0.0.8', { serviceAccount: 'canary' })]);
  topology.allow('shop/canary', 'shop/web');
  const { view, news } = connect('web', 'grpc');
  view.get('route', catalogName);
  view.get('endpoints', catalogName);
  await news();
  topology.split('shop/catalog', { 'shop/orders': 9, 'shop/canary': 1 });
  assert.deepEqual(await news(), [`route ${catalogName}`, `endpoints ${catalogName}`]);
  const divided = view.get('endpoints', catalogName)?.version ?? '';
  assert.match(divided, /10\.0\.0\.8/);
  endpoints.set('shop/canary', [testEndpoint('10.0.0.18', { serviceAccount: 'canary' })]);
  assert.deepEqual(await news(), [`!endpoints ${catalogName}`], 'a backend concerns its root');
});

test('changes of roots are announced', async () => {
  const { connect, authority } = start();
  const { view, news } = connect('web', 'envoy', 'web-1');
  const names = ['root-cert-for-mtls-inbound', 'root-cert-for-mtls-outbound:shop/catalog'];
  for (const name of names) assert.ok(view.get('secret', name), name);
  assert.equal(view.get('secret', 'root-cert-for-mtls-outbound:shop/unknown'), undefined);
  const before = view.version('secret');
  authority.changeRoots('roots 1 and 2');
  assert.deepEqual(await news(), [`secret ${names.join(' ')}`]);
  assert.notEqual(view.version('secret'), before);
});

test("a workload's certificate and key are sent to nobody: they are not among the secrets", () => {
  const { connect } = start();
  for (const view of [
    connect('web', 'envoy', 'web-1').view,
    connect('web', 'envoy').view,
    connect('web', 'grpc').view,
  ]) {
    assert.equal(view.get('secret', 'service-cert'), undefined);
    assert.deepEqual(view.names('secret'), ['root-cert-for-mtls-inbound']);
  }
});

test('each Envoy reads the certificate from its own folder', () => {
  const { connect } = start();
  const clusterIn = (certificateFolder?: string) =>
    connect('web', 'envoy', 'web-1', certificateFolder).view.get('cluster', catalogName)?.version ?? '';
  assert.match(clusterIn('/var/one'), /"\/var\/one"/);
  assert.match(clusterIn('/var/two'), /"\/var\/two"/);
  assert.match(clusterIn(), /"\/etc\/chandlery\/mesh"/);
});

test('a gRPC server gets its access rules, and their changes', async () => {
  const { connect, topology } = start();
  const { view, news } = connect('catalog', 'grpc');
  const name = `${serverListenerPrefix}127.0.0.1:9000`;
  assert.match(view.get('listener', name)?.version ?? '', /sa\/web/);
  topology.allow('shop/catalog', 'shop/web', 'shop/orders');
  assert.deepEqual(await news(), [`!listener ${name}`]);
  assert.match(view.get('listener', name)?.version ?? '', /sa\/orders/);
});

test('equal contents have equal versions, independent of the history', () => {
  const [one, other] = [start(), start()];
  other.endpoints.set('shop/catalog', []);
  other.endpoints.set('shop/catalog', [testEndpoint('10.0.0.7', { serviceAccount: 'catalog' })]);
  other.topology.split('shop/catalog', { 'shop/orders': 1 });
  other.topology.split('shop/catalog', undefined);
  const versions = ({ connect }: typeof one) =>
    (['cluster', 'endpoints', 'listener', 'route', 'secret'] as const).map(type => connect('web').view.version(type));
  assert.deepEqual(versions(one), versions(other));
});

test('a proxy that disconnected gets no notification, and its view is dropped', async () => {
  const { connect, endpoints, compiler } = start();
  const { connected, view, news } = connect('web');
  view.get('endpoints', catalogName);
  connected[Symbol.dispose]();
  connected[Symbol.dispose]();
  compiler.asked.length = 0;
  endpoints.set('shop/catalog', []);
  assert.deepEqual([await news(), compiler.asked], [[], []]);
});

test('a binding changes the views of its consumer and of the service, and costs others nothing', async () => {
  const { connect, topology, compiler } = start();
  const [app, stranger, server] = [connect('app'), connect('stranger'), connect('orders')];
  for (const { view } of [app, stranger, server]) view.names('cluster');
  assert.equal(app.view.get('endpoints', ordersName), undefined);
  for (const { news } of [app, stranger, server]) await news();
  const before = app.view.version('cluster');
  compiler.asked.length = 0;
  topology.grant('shop/orders', 'shop/app');
  assert.match((await app.news()).join(), new RegExp(`cluster ${ordersName.replace('|', '\\|')}`));
  assert.ok(app.view.get('endpoints', ordersName));
  assert.notEqual((await server.news()).length, 0, 'its proxy lets the consumer in');
  assert.deepEqual(await stranger.news(), []);
  assert.equal(
    compiler.asked.some(text => text.includes('catalog')),
    false,
    'other services are not even compiled',
  );
  assert.notEqual(app.view.version('cluster'), before);
  topology.grant('shop/orders');
  assert.match((await app.news()).join(), /^!/, 'access that is taken back is not debounced');
  assert.equal(app.view.get('endpoints', ordersName), undefined);
});
