import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fleetErrorCodes } from '../errors.ts';
import { exampleDocument } from '../model/configuration/test-document.ts';
import { adminToken, base, startTestFacade, type TestFacade } from './test-facade.ts';

let facade: TestFacade;
before(async () => {
  facade = await startTestFacade();
});
after(() => facade[Symbol.asyncDispose]());

const open = (path: string) => facade.ask('GET', path, { token: null });
const methods = ['get', 'post', 'put', 'patch', 'delete'];

for (const path of [`${base}/openapi`, '/openapi/fleet.json']) {
  test(`${path} documents what is served and nothing else`, async () => {
    const { body } = await open(path);
    const operationIds = new Set<string>();
    for (const [template, item] of Object.entries(
      body.paths as Record<string, Record<string, { operationId: string }>>,
    )) {
      for (const { operationId } of Object.values(item)) {
        assert.ok(!operationIds.has(operationId), operationId);
        operationIds.add(operationId);
      }
      for (const method of methods) {
        const address = template.replaceAll(/\{\w+\}/g, 'x');
        const { status } = await facade.ask(method.toUpperCase(), address, { token: adminToken });
        assert.equal(status === 405, item[method] === undefined, `${method} ${template}: ${status}`);
      }
    }
    for (const [, kind = '', name = ''] of JSON.stringify(body).matchAll(/#\/components\/(\w+)\/(\w+)/g))
      assert.ok(body.components[kind]?.[name] !== undefined, `${kind}/${name}`);
  });
}

test('no product can have an id that is the name of another route', async () => {
  const templates = Object.keys((await open(`${base}/openapi`)).body.paths);
  const names = templates.map(template => template.slice(base.length).split('/').slice(1));
  const isBesideCollection = (path: readonly string[], at: number): boolean =>
    names.some(other => other[at] === 'dinosaurs' && other.slice(0, at).join() === path.slice(0, at).join());
  const taken = new Set(
    names.flatMap(path => path.filter((name, at) => /^\w/.test(name) && isBesideCollection(path, at))),
  );
  taken.delete('dinosaurs');
  assert.ok(taken.size >= 8, [...taken].join());
  for (const id of taken) {
    const body = exampleDocument({ product: { id, kind: 'Other' }, clusters: [] });
    const response = await facade.ask('PUT', '/api/fleet_mgmt/v1/configuration', { token: adminToken, body });
    assert.deepEqual([id, response.status], [id, 400]);
  }
});

test('a wrong method is rejected with those that are served', async () => {
  const allowOf = async (method: string, path: string) => (await facade.ask(method, path)).headers.get('allow');
  assert.equal(await allowOf('PUT', `${base}/dinosaurs`), 'GET, HEAD, POST');
  assert.equal(await allowOf('POST', `${base}/dinosaurs/x`), 'DELETE, GET, HEAD, PATCH');
  assert.equal(await allowOf('GET', `${base}/agent-clusters/x/status`), 'PUT');
  assert.equal(await allowOf('GET', `${base}/dinosaurs/x`), null);
});

test('browsers are told what pages of other origins may send, without a token', async () => {
  const headers = { origin: 'https://console.example.com', 'access-control-request-method': 'PATCH' };
  const preflight = await facade.ask('OPTIONS', `${base}/dinosaurs/x`, { token: null, headers });
  const told = ['allow-origin', 'allow-methods', 'allow-headers', 'max-age'].map(name =>
    preflight.headers.get(`access-control-${name}`),
  );
  assert.equal(preflight.status, 200);
  assert.deepEqual(told, ['*', 'DELETE, GET, PATCH, POST', 'Authorization, Content-Type', '600']);
  const rejected = await facade.ask('GET', `${base}/dinosaurs`, { token: null, headers });
  assert.deepEqual([rejected.status, rejected.headers.get('access-control-allow-origin')], [401, '*']);
  assert.equal((await facade.ask('OPTIONS', `${base}/dinosaurs`)).status, 405, 'not from a browser');
});

test('metadata name the collections', async () => {
  const root = (await open('/api/dinosaurs_mgmt')).body;
  assert.deepEqual([root.kind, root.href, root.versions[0]?.id], ['API', '/api/dinosaurs_mgmt', 'v1']);
  const version = (await open(base)).body;
  assert.deepEqual([version.id, version.kind, version.href], ['v1', 'APIVersion', base]);
  assert.deepEqual(version.collections[0], { id: 'dinosaurs', kind: 'DinosaurList', href: `${base}/dinosaurs` });
});

test('errors are listed by number, in pages', async () => {
  const all = (await open(`${base}/errors?size=1000`)).body;
  const total = Object.keys(fleetErrorCodes).length;
  assert.deepEqual([all.kind, all.total, all.items[0]?.id], ['ErrorList', total, '4']);
  const last = (await open(`${base}/errors?page=2&size=${total - 1}`)).body;
  assert.deepEqual([last.items.length, last.items[0]?.id], [1, '503']);
  const one = (await open(`${base}/errors/36`)).body;
  assert.deepEqual([one.code, one.href], ['DINOSAURS-MGMT-36', `${base}/errors/36`]);
  for (const id of ['x', '1234', '7.0', 'toString']) assert.equal((await open(`${base}/errors/${id}`)).status, 404, id);
});

test('providers and regions are listed whole, with what fits', async () => {
  const providers = (await facade.ask('GET', `${base}/cloud_providers?size=0`)).body;
  assert.deepEqual(providers.items, [
    { kind: 'CloudProvider', id: 'aws', display_name: 'aws', name: 'aws', enabled: true },
  ]);
  const regions = (await facade.ask('GET', `${base}/cloud_providers/aws/regions`)).body;
  assert.deepEqual(
    regions.items.map(({ id }) => id),
    ['eu-central-1', 'eu-north-1'],
  );
  const [central, north] = regions.items;
  assert.deepEqual(central?.capacity[0], { instance_type: 'standard', available_sizes: ['x1', 'x2'] });
  assert.deepEqual(north?.capacity, [{ instance_type: 'standard', available_sizes: [] }], 'no cluster is there');
  const filtered = (await facade.ask('GET', `${base}/cloud_providers/aws/regions?instance_type=eval`)).body;
  assert.deepEqual(
    filtered.items.map(({ id }) => id),
    ['eu-central-1'],
  );
  assert.deepEqual((await facade.ask('GET', `${base}/cloud_providers/none/regions`)).body.items, []);
  assert.deepEqual((await facade.ask('GET', `${base}/status`)).body, { dinosaurs: { max_capacity_reached: false } });
});

test('operators of the landscape configure products, which are served at once under names of their own', async () => {
  const document = exampleDocument({ product: { id: 'parrots', kind: 'Parrot' }, clusters: [] });
  const put = (body: unknown) => facade.ask('PUT', '/api/fleet_mgmt/v1/configuration', { token: adminToken, body });
  assert.equal((await open('/api/parrots_mgmt/v1')).status, 404);
  const done = await put(document);
  assert.deepEqual([done.status, done.body.product], [200, 'parrots'], done.text);
  const { body } = await facade.ask('GET', '/api/parrots_mgmt/v1/parrots');
  assert.equal(body.kind, 'ParrotRequestList');
  assert.equal((await facade.ask('GET', '/api/parrots_mgmt/v1/dinosaurs')).body.code, 'PARROTS-MGMT-7');
  const shown = await facade.ask('GET', '/api/fleet_mgmt/v1/configuration?product=parrots', { token: adminToken });
  assert.equal(shown.body.product.kind, 'Parrot');
  assert.doesNotMatch(shown.text, /secret_access_key":"(?!\*)/);
  const bad = await put({ ...document, surprise: 1 });
  assert.deepEqual([bad.status, bad.body.code], [400, 'FLEET-MGMT-37']);
  assert.ok(bad.body.problems.length > 0);
  assert.equal((await put('[]')).body.id, '17');
  const products = (await facade.ask('GET', '/api/fleet_mgmt/v1/products', { token: adminToken })).body;
  assert.deepEqual(products.items.map(({ id }) => id).sort(), ['dinosaurs', 'parrots']);
});

test('credentials that the landscape rejects lead to code 15', async () => {
  const { status, body } = await facade.ask('GET', '/api/fleet_mgmt/v1/products', { token: 'broken' });
  assert.deepEqual([status, body.code], [401, 'FLEET-MGMT-15']);
});

test('operators of the landscape get tokens for others', async () => {
  const issue = (body: object) => facade.ask('POST', '/api/fleet_mgmt/v1/tokens', { token: adminToken, body });
  const { status, body } = await issue({ username: 'ann', organisation: 'acme' });
  assert.equal(status, 201);
  assert.ok(body.token.length > 0);
  assert.equal((await issue({})).body.id, '37');
  assert.equal((await issue({ username: 'ann', roles: 'x' })).body.id, '17');
  assert.equal((await issue({ username: 'ann', expiration_seconds: 1 })).body.id, '37');
});
