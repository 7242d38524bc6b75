import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '@chandlery/api';
import { systemTimers, type Timers } from '@chandlery/runtime';
import { createAnnouncedEndpoints } from '../endpoints/announced/announced-endpoints.ts';
import { mayBack } from '../model/endpoints/may-back.ts';
import { ServiceCatalog, type ServiceCatalogOptions } from './service-catalog.ts';
import { AuthorityDouble } from './test-authority-double.ts';
import { TestCompiler } from './test-compiler.ts';
import { TestDirectory } from './test-directory.ts';
import { TestEndpoints, testEndpoint } from './test-endpoints.ts';
import { TestTopology } from './test-topology.ts';

/** A mesh with the services `web`, without endpoints, and `vault`, backed by its own account. */
function start(timers: Timers = systemTimers) {
  const topology = new TestTopology();
  const services = new TestDirectory();
  for (const name of ['web', 'vault']) services.declare(`shop/${name}`, 80);
  const known = new TestEndpoints('known');
  known.set('shop/vault', [testEndpoint('10.0.0.9', { serviceAccount: 'vault' })]);
  const announced = createAnnouncedEndpoints({
    mayServe: (service, { serviceAccount }) =>
      services.getService(service) !== undefined && mayBack(catalog.listEndpoints(service), serviceAccount),
  });
  const catalog: ServiceCatalog = new ServiceCatalog({
    tenant: 't',
    clusters: [{ name: 'east' }],
    topology,
    services,
    providers: [known, announced],
    announced,
    authority: new AuthorityDouble() as unknown as ServiceCatalogOptions['authority'],
    compiler: new TestCompiler(),
    timers,
  });
  const connect = (serviceAccount: string, announcement: JsonValue) => {
    const identity = { trustDomain: 'cluster.local', tenant: 't', cluster: 'east', namespace: 'shop', serviceAccount };
    const proxy = { nodeId: serviceAccount, identity, dialect: 'envoy', zone: 'a', peer: '', announcement } as const;
    return catalog.registerProxy(proxy);
  };
  const addresses = (name: string) => catalog.listEndpoints({ namespace: 'shop', name }).map(({ ip }) => ip);
  return { connect, addresses, catalog };
}

const at = (service: string, ip: string): JsonValue => ({ service, ip, ports: { '': 8080 } });

test('what a proxy announces is there while it is connected, in its place and as its account', () => {
  const { connect, addresses, catalog } = start();
  const connected = connect('web', [at('web', '10.0.0.1')]);
  const [endpoint] = catalog.listEndpoints({ namespace: 'shop', name: 'web' });
  assert.deepEqual([endpoint?.ip, endpoint?.zone, endpoint?.serviceAccount], ['10.0.0.1', 'a', 'web']);
  connected[Symbol.dispose]();
  connected[Symbol.dispose]();
  assert.deepEqual(addresses('web'), []);
});

test('announced endpoints stay while the proxy is expected to reconnect, and are removed if it does not', () => {
  let timeIsUp = (): void => undefined;
  const after: Timers['after'] = (_, call) => {
    timeIsUp = call;
    return () => undefined;
  };
  const { connect, addresses } = start({ after });
  connect('web', [at('web', '10.0.0.1')]).releaseForReconnect();
  assert.deepEqual(addresses('web'), ['10.0.0.1']);
  const again = connect('web', [at('web', '10.0.0.1')]);
  timeIsUp();
  assert.deepEqual(addresses('web'), ['10.0.0.1'], 'it is back');
  again.releaseForReconnect();
  again[Symbol.dispose]();
  assert.deepEqual(addresses('web'), ['10.0.0.1']);
  timeIsUp();
  assert.deepEqual(addresses('web'), []);
});

test('only proxies of an account that backs a service may announce further endpoints of it', () => {
  const { connect, addresses } = start();
  connect('web', [at('web', '10.0.0.1')]);
  connect('web', [at('web', '10.0.0.2')]);
  connect('vault', [at('vault', '10.0.0.3')]);
  assert.deepEqual(
    [addresses('web'), addresses('vault')],
    [
      ['10.0.0.1', '10.0.0.2'],
      ['10.0.0.3', '10.0.0.9'],
    ],
  );
  for (const service of ['web', 'vault', 'undeclared'])
    assert.throws(() => connect('thief', [at(service, '10.6.6.6')]), {
      code: 'PermissionDenied',
      message: /shop\/thief/,
    });
});

test('an announcement is accepted as a whole or not at all', () => {
  const { connect, addresses } = start();
  assert.throws(() => connect('web', [at('web', '10.0.0.1'), at('vault', '10.0.0.1')]), { code: 'PermissionDenied' });
  assert.throws(() => connect('web', [at('web', '10.0.0.1'), at('web', 'nowhere')]), { code: 'InvalidRequest' });
  assert.throws(() => connect('web', 'nonsense'), { code: 'InvalidRequest', message: /not a list/ });
  assert.deepEqual(addresses('web'), []);
});
