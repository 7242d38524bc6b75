import assert from 'node:assert/strict';
import { Resolver } from 'node:dns/promises';
import { after, before, describe, it } from 'node:test';
import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { eventually, startTestPlane, type TestPlane } from '@chandlery/testing';
import type { ServiceName } from '../../model/service-name.ts';
import {
  endpointsProviderContract,
  type PlatformEndpoint,
  type ProviderUnderTest,
} from '../endpoints-provider-contract.ts';
import { CutLink, quickTuning } from '../test-cut-link.ts';
import { createDnsEndpoints } from './dns-endpoints.ts';
import { srvAnnotation } from './external-service.ts';
import { startTestDnsServer } from './test-dns-server.ts';

let plane: TestPlane;
let clusters = 0;
before(async () => {
  plane = await startTestPlane();
});
after(() => plane[Symbol.asyncDispose]());

const ref = { group: '', version: 'v1', plural: 'services', namespace: 'default' };

async function putService(client: Client, name: string, host: string, ports: readonly object[]): Promise<void> {
  const isSrv = host.startsWith('_');
  const externalName = isSrv ? 'unused.test' : host;
  const annotations: Record<string, string> = isSrv ? { [srvAnnotation]: host } : {};
  const metadata = { name, namespace: 'default', annotations };
  const service = { apiVersion: 'v1', kind: 'Service', metadata, spec: { type: 'ExternalName', externalName, ports } };
  await client.patch({ ...ref, name }, { type: 'apply', body: service, force: true }, { fieldManager: 'test' });
}

async function removeService(client: Client, name: string): Promise<void> {
  await client.delete({ ...ref, name }).catch((thrown: unknown) => assert.ok(isError(thrown, 'NotFound')));
}

async function start({ isCut = false } = {}) {
  await using stack = new AsyncDisposableStack();
  const client = await plane.createCluster(`d${++clusters}`);
  const server = stack.use(await startTestDnsServer());
  server.isBroken = isCut;
  const resolver = new Resolver({ timeout: 1000, tries: 1 });
  resolver.setServers([server.address]);
  const link = new CutLink(client, isCut);
  const life = { minTtlMs: 5, absentMs: 5 };
  const provider = stack.use(
    createDnsEndpoints({ client: link.client, cluster: 'blue', region: 'eu', resolver, tuning: quickTuning, ...life }),
  );
  const all = stack.move();
  return { client, server, link, provider, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

async function setUp(options?: { readonly isCut?: boolean }): Promise<ProviderUnderTest> {
  const test = await start(options);
  const { client, server, link } = test;
  const hostOf = ({ name }: ServiceName): string => `${name}.example.test`;
  return {
    provider: test.provider,
    link: {
      cut() {
        server.isBroken = true;
        link.cut();
      },
      heal() {
        server.isBroken = false;
        link.heal();
      },
    },
    async put(service: ServiceName, endpoints: readonly PlatformEndpoint[]) {
      const ips = [...new Set(endpoints.map(({ ip }) => ip))];
      const isSix = (ip: string): boolean => ip.includes(':');
      server.records.set(hostOf(service), { A: ips.filter(ip => !isSix(ip)), AAAA: ips.filter(isSix) });
      const [first] = endpoints;
      if (first === undefined) return await removeService(client, service.name);
      const { port, portName = 'http' } = first;
      await putService(client, service.name, hostOf(service), [{ name: portName, port, protocol: 'TCP' }]);
    },
    async touch({ name }) {
      const body = { metadata: { annotations: { touched: 'yes' } } };
      await client.patch({ ...ref, name }, { type: 'merge', body });
    },
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  };
}

endpointsProviderContract('DNS', setUp, { hasHealth: false, hasZones: false, hasNamedPorts: false, isRemote: true });

const web: ServiceName = { namespace: 'default', name: 'web' };
const http = [{ name: 'http', port: 80, protocol: 'TCP' }];

describe('Endpoints of names', () => {
  const described = { cluster: 'blue', region: 'eu', health: 'healthy' };

  it('have the target ports of their service', async () => {
    await using test = await start();
    test.server.records.set('web.test', { A: ['192.0.2.1'] });
    await putService(test.client, 'web', 'WEB.test.', [{ ...http[0], targetPort: 8080 }]);
    const [endpoint] = await eventually(() => {
      const list = test.provider.listEndpointsForService(web);
      return list.length > 0 && list;
    });
    assert.deepEqual(endpoint, {
      ...described,
      ip: '192.0.2.1',
      port: 8080,
      portName: 'http',
      source: 'name web.test',
    });
  });

  it('have the ports and weights of SRV records of the best priority', async () => {
    await using test = await start();
    test.server.records.set('_http._tcp.web.test', { SRV: ['1 5 8081 a.test', '1 0 8082 b.test', '2 9 8083 c.test'] });
    for (const [index, host] of ['a.test', 'b.test', 'c.test'].entries())
      test.server.records.set(host, { A: [`192.0.2.${index + 1}`] });
    await putService(test.client, 'web', '_http._tcp.web.test', http);
    await eventually(() => test.provider.listEndpointsForService(web).length === 2);
    const named = { ...described, portName: 'http', source: 'name _http._tcp.web.test' };
    assert.deepEqual(test.provider.listEndpointsForService(web), [
      { ...named, ip: '192.0.2.1', port: 8081, weight: 5 },
      { ...named, ip: '192.0.2.2', port: 8082 },
    ]);
  });

  it('need no question when the name is an address', async () => {
    await using test = await start();
    await putService(test.client, 'web', '192.0.2.7', http);
    await eventually(() => test.provider.listEndpointsForService(web)[0]?.ip === '192.0.2.7');
    assert.deepEqual(test.server.questions, []);
  });

  it('go when the name does not exist any longer', async () => {
    await using test = await start();
    test.server.records.set('web.test', { A: ['192.0.2.1'] });
    await putService(test.client, 'web', 'web.test', http);
    await eventually(() => test.provider.listEndpointsForService(web).length === 1);
    test.server.records.delete('web.test');
    await eventually(() => test.provider.listEndpointsForService(web).length === 0);
  });

  it('stay while the server fails, which the reason names', async () => {
    await using test = await start();
    test.server.records.set('web.test', { A: ['192.0.2.1'] });
    await putService(test.client, 'web', 'web.test', http);
    await eventually(() => test.provider.listEndpointsForService(web).length === 1);
    test.server.isBroken = true;
    const reason = await eventually(() => test.provider.staleReason);
    assert.match(reason, /^the name "web\.test" cannot be resolved: /);
    assert.equal(test.provider.listEndpointsForService(web).length, 1);
  });

  it('stay when their service gets a name that cannot be resolved', async () => {
    await using test = await start();
    test.server.records.set('one.test', { A: ['192.0.2.1'] });
    await putService(test.client, 'web', 'one.test', http);
    await eventually(() => test.provider.listEndpointsForService(web).length === 1);
    test.server.isBroken = true;
    await putService(test.client, 'web', 'two.test', http);
    await eventually(() => test.provider.staleReason?.includes('two.test'));
    assert.equal(test.provider.listEndpointsForService(web)[0]?.ip, '192.0.2.1');
  });

  it('change with the name of their service', async () => {
    await using test = await start();
    test.server.records.set('one.test', { A: ['192.0.2.1'] }).set('two.test', { A: ['192.0.2.2'] });
    await putService(test.client, 'web', 'one.test', http);
    await eventually(() => test.provider.listEndpointsForService(web)[0]?.ip === '192.0.2.1');
    await putService(test.client, 'web', 'two.test', http);
    await eventually(() => test.provider.listEndpointsForService(web)[0]?.ip === '192.0.2.2');
    test.server.questions.length = 0;
    await eventually(() => test.server.questions.filter(question => question.endsWith('two.test')).length >= 4);
    assert.ok(!test.server.questions.some(question => question.endsWith('one.test')), 'nobody asks for the old name');
  });
});
