import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProxyIdentity } from '../../model/identity.ts';
import { type ServiceName, serviceKey } from '../../model/service-name.ts';
import type { AnnouncedEndpoint } from '../../ports/endpoints.ts';
import { endpointsProviderContract, type ProviderUnderTest } from '../endpoints-provider-contract.ts';
import { createAnnouncedEndpoints } from './announced-endpoints.ts';

const identity: ProxyIdentity = {
  trustDomain: 'cluster.local',
  tenant: 'acme',
  cluster: 'blue',
  namespace: 'default',
  serviceAccount: 'web',
  proxyId: 'p1',
};

function setUp(): Promise<ProviderUnderTest> {
  const provider = createAnnouncedEndpoints({ mayServe: () => true });
  const held = new Map<string, Disposable>();
  const announced = new Map<string, readonly AnnouncedEndpoint[]>();
  const put = async (service: ServiceName, endpoints: readonly AnnouncedEndpoint[]): Promise<void> => {
    const key = serviceKey(service);
    const named = endpoints.map(endpoint => ({ portName: 'http', ...endpoint }));
    const before = held.get(key);
    announced.set(key, named);
    held.set(key, provider.announce({ service, endpoints: named, identity }));
    before?.[Symbol.dispose]();
  };
  return Promise.resolve({
    provider,
    put,
    touch: service => put(service, announced.get(serviceKey(service)) ?? []),
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  });
}

endpointsProviderContract('proxies themselves', setUp, {
  hasHealth: true,
  hasZones: true,
  hasNamedPorts: true,
  isRemote: false,
});

const web: ServiceName = { namespace: 'default', name: 'web' };
const at = (ip: string, port = 8080): AnnouncedEndpoint => ({ ip, port });

describe('Announced endpoints', () => {
  it('exist while their proxy is connected, with the identity and place of its certificate', () => {
    const provider = createAnnouncedEndpoints({ mayServe: () => true });
    const announcement = provider.announce({ service: web, endpoints: [at('10.0.0.1')], identity });
    assert.deepEqual(provider.listEndpointsForService(web), [
      {
        ip: '10.0.0.1',
        port: 8080,
        portName: '',
        health: 'healthy',
        cluster: 'blue',
        serviceAccount: 'web',
        source: 'proxy p1',
      },
    ]);
    announcement[Symbol.dispose]();
    assert.deepEqual(provider.listEndpointsForService(web), []);
    announcement[Symbol.dispose]();
  });

  it('stay when the old connection of a proxy closes after its new one has opened', () => {
    const provider = createAnnouncedEndpoints({ mayServe: () => true });
    const earlier = provider.announce({ service: web, endpoints: [at('10.0.0.1')], identity });
    const later = provider.announce({ service: web, endpoints: [{ ...at('10.0.0.1'), health: 'draining' }], identity });
    assert.deepEqual(provider.listEndpointsForService(web)[0]?.health, 'draining', 'the later one holds');
    earlier[Symbol.dispose]();
    assert.equal(provider.listEndpointsForService(web).length, 1);
    later[Symbol.dispose]();
    assert.deepEqual([...provider.listServices()], []);
  });

  for (const endpoint of [
    at('web.example.com'),
    at('0.0.0.0'),
    at('fe80::1%eth0'),
    at('10.0.0.1', 0),
    at('10.0.0.1', 1.5),
  ])
    it(`are rejected at ${endpoint.ip}, port ${endpoint.port}`, () => {
      const provider = createAnnouncedEndpoints({ mayServe: () => true });
      const endpoints = [at('10.0.0.1'), endpoint];
      assert.throws(() => provider.announce({ service: web, endpoints, identity }), { code: 'InvalidEndpoint' });
      assert.deepEqual(provider.listEndpointsForService(web), []);
    });

  it('are rejected for services of another namespace, without a check of access', () => {
    const provider = createAnnouncedEndpoints({ mayServe: () => assert.fail('asked') });
    const service = { namespace: 'bank', name: 'web' };
    assert.throws(() => provider.announce({ service, endpoints: [at('10.0.0.1')], identity }), { code: 'Forbidden' });
  });

  it('are rejected for services of another account', () => {
    const provider = createAnnouncedEndpoints({ mayServe: (service, who) => service.name === who.serviceAccount });
    const service = { namespace: 'default', name: 'api' };
    assert.throws(() => provider.announce({ service, endpoints: [at('10.0.0.1')], identity }), { code: 'Forbidden' });
    provider.announce({ service: web, endpoints: [at('10.0.0.1')], identity });
    assert.deepEqual([...provider.listServices()], ['default/web']);
  });
});
