import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterName, defaultCertificateFolder } from '../model/resource-names.ts';
import { parseServiceKey, type ServiceKey } from '../model/service-name.ts';
import { defaultMeshTraffic, defaultProxyPorts } from '../model/traffic-settings.ts';
import type { ViewChange } from '../ports.ts';
import { type CatalogChange, SharedView, type ViewDeps } from './proxy-view.ts';
import { TestCompiler } from './test-compiler.ts';

const tenant = 't';
const identity = { trustDomain: 'd', tenant, cluster: 'east', namespace: 'shop', serviceAccount: 'web' };
const nameOf = (key: ServiceKey): string => {
  const service = parseServiceKey(key) ?? assert.fail(key);
  return clusterName({ tenant, service, port: 80 });
};

/** A view on changing services, with the services that it follows. */
function startView() {
  const services = new Set<ServiceKey>();
  const followed = new Set<ServiceKey>();
  const told: ViewChange[] = [];
  let followsAll = false;
  const compiler = new TestCompiler();
  const deps: Partial<ViewDeps> = {
    tenant,
    compiler,
    services: () => services,
    outboundService: service => {
      if (!services.has(`${service.namespace}/${service.name}`)) return undefined;
      return { service, ports: [{ name: '', port: 80, protocol: 'http' }], addresses: [], principals: [] };
    },
    compile: () => [],
    endpoints: ({ service }) => ({ type: 'endpoints', name: service.name, version: '1', any: new Uint8Array() }),
    follow: key => void followed.add(key),
    followAll: () => {
      followsAll = true;
    },
  };
  const view = new SharedView(
    deps as ViewDeps,
    {
      identity,
      dialect: 'grpc',
      isPermissive: false,
      certificateFolder: defaultCertificateFolder,
      traffic: defaultMeshTraffic,
      ports: defaultProxyPorts,
    },
    { cluster: 'east' },
  );
  view.subscribe(change => told.push(change));
  const change = (key: ServiceKey): CatalogChange => ({
    acceptedAt: 0,
    isUrgent: false,
    services: new Set([key]),
    endpoints: new Set(),
    accounts: new Set(),
    grants: new Map(),
    haveRootsChanged: false,
  });
  return {
    view,
    followed,
    told,
    get followsAll() {
      return followsAll;
    },
    add: (key: ServiceKey) => {
      services.add(key);
      view.apply(change(key));
    },
    remove: (key: ServiceKey) => {
      services.delete(key);
      view.apply(change(key));
    },
  };
}

test('invented names are cached up to a limit, and new services are still announced', () => {
  const registry = startView();
  const { view, followed, told } = registry;
  const made = 50_000;
  for (let no = 0; no < made; no++) assert.equal(view.get('endpoints', nameOf(`shop/made-up-${no}`)), undefined);
  assert.ok(registry.followsAll);
  assert.ok(followed.size < made / 2, `${followed.size} are followed`);
  for (const key of ['shop/made-up-1', `shop/made-up-${made - 1}`]) {
    told.length = 0;
    registry.add(key);
    assert.deepEqual([...(told[0]?.changed.get('endpoints') ?? [])], [nameOf(key)]);
    assert.ok(view.get('endpoints', nameOf(key)));
    told.length = 0;
    registry.remove(key);
    assert.deepEqual([...(told[0]?.changed.get('endpoints') ?? [])], [nameOf(key)]);
    assert.equal(view.get('endpoints', nameOf(key)), undefined);
  }
});

test('a view can unsubscribe from everything', () => {
  const { view, followed, add, remove } = startView();
  for (let no = 0; no < 20_000; no++) view.get('endpoints', nameOf(`shop/made-up-${no}`));
  add('shop/made-up-19999');
  view.get('endpoints', nameOf('shop/made-up-19999'));
  remove('shop/made-up-19999');
  assert.deepEqual(followed.difference(new Set(view.services)), new Set());
});

test('a few names that do not exist are followed one by one', () => {
  const registry = startView();
  registry.view.get('endpoints', nameOf('shop/later'));
  assert.deepEqual([[...registry.followed], registry.followsAll], [['shop/later'], false]);
});
