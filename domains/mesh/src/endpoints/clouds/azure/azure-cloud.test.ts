import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AzureResource } from '../../../kinds/clouds/azure-resource.ts';
import { cloudContract, type TestMachine } from '../test-cloud-contract.ts';
import { createAzureCloud } from './azure-cloud.ts';
import { startTestAzureServer, testSecret, testSubscription, testTenant } from './test-azure-server.ts';

const azure = { tenantId: testTenant, subscriptionId: testSubscription };

cloudContract({
  name: 'Azure',
  create: createAzureCloud,
  account: { azure },
  secret: testSecret,
  start: startTestAzureServer,
  select: service => ({ tags: { app: service } }),
});

const vm = (no: number, more: Partial<TestMachine> = {}): TestMachine => ({
  ...{ name: `vm-${no}`, service: 'web', ip: `10.0.0.${no}`, zone: '1', health: 'healthy' },
  ...more,
});
const group = `/subscriptions/${testSubscription}/resourceGroups/mesh-rg/providers/Microsoft.Compute`;
const resource = (more: Partial<AzureResource['spec']>): AzureResource['spec'] => ({
  ...{ account: 'prod', service: 'web', ports: [], weight: 1, address: 'private' },
  ...more,
});

async function start(secret: Readonly<Record<string, string>> = testSecret) {
  const server = await startTestAzureServer();
  const cloud = createAzureCloud({ endpoint: server.url });
  const reader = await cloud.connect({
    account: { azure, pollSeconds: 30 },
    secret,
  });
  const read = (spec: AzureResource['spec']) => reader.read([spec], AbortSignal.timeout(10_000));
  return {
    server,
    read,
    resolve: async (more: Partial<AzureResource['spec']>) => {
      const spec = resource(more);
      return cloud.resolve(spec, (await read(spec)).inventory);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describe('Machines of Azure', () => {
  it('are virtual machines and scale sets by resource id, in any case', async () => {
    await using test = await start();
    test.server.setMachines('web', [vm(1), vm(2), vm(3)]);
    test.server.setScaleSet('baz', [vm(7), vm(8, { health: 'unhealthy' }), vm(9)]);
    const set = `${group}/virtualMachineScaleSets/baz`;
    const ids = [`${group}/virtualMachines/vm-1`, set, `${group}/virtualMachines/gone`];
    const { machines, missing } = await test.resolve({ ids });
    assert.deepEqual(
      machines.map(({ address, state, region, zone }) => [address, state, region, zone]),
      [
        ['10.0.0.1', 'Running', 'westeurope', '1'],
        ['10.0.0.7', 'Running', 'westeurope', '1'],
        ['10.0.0.8', 'Unhealthy', 'westeurope', '1'],
        ['10.0.0.9', 'Running', 'westeurope', '1'],
      ],
    );
    assert.deepEqual(missing, [`${group}/virtualMachines/gone`]);
    const tagged = await test.resolve({ tags: { set: 'baz' } });
    assert.deepEqual(
      tagged.machines.map(({ address }) => address),
      ['10.0.0.7', '10.0.0.8', '10.0.0.9'],
    );
    assert.deepEqual((await test.resolve({ tags: { app: 'web' }, resourceGroup: 'other' })).machines, []);
    assert.equal((await test.resolve({ tags: { app: 'web' }, resourceGroup: 'Mesh-RG' })).machines.length, 3);
  });

  it('have their public addresses where these are wanted', async () => {
    await using test = await start();
    test.server.setMachines('web', [vm(1)]);
    const { machines } = await test.resolve({ tags: { app: 'web' }, address: 'public' });
    assert.deepEqual(
      machines.map(({ address }) => address),
      ['198.51.100.2'],
    );
  });

  it('are not read with wrong credentials, which are not shown', async () => {
    await using test = await start({ clientId: 'client', clientSecret: 'wrong' });
    await assert.rejects(test.read(resource({ tags: {} })), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'CloudDenied');
      assert.match(error.message, /invalid_client/);
      assert.doesNotMatch(error.message, /not-a-secret/);
      return true;
    });
    await using incomplete = await start({ clientId: 'client' });
    await assert.rejects(incomplete.read(resource({ tags: {} })), { code: 'CloudCredentialsInvalid' });
  });

  it('are read with one token, which goes to the API only', async () => {
    await using test = await start();
    await test.read(resource({ tags: {} }));
    await test.read(resource({ tags: {} }));
    assert.equal(test.server.requests.filter(path => path.endsWith('/token')).length, 1);
    const foreign = 'https://attacker.example/subscriptions';
    test.server.intercept(({ url }) =>
      url.pathname.endsWith('virtualMachines') ? { body: { value: [], nextLink: foreign } } : undefined,
    );
    await assert.rejects(test.read(resource({ tags: {} })), /another host, attacker\.example/);
  });

  it('are not read from where a response redirects to', async () => {
    await using test = await start();
    const location = `${test.server.url}/elsewhere`;
    test.server.intercept(({ url }) =>
      url.pathname.endsWith('networkInterfaces') ? { status: 307, headers: { location }, body: {} } : undefined,
    );
    await assert.rejects(test.read(resource({ tags: {} })), { code: 'CloudUnreachable' });
    assert.ok(!test.server.requests.includes('/elsewhere'));
  });

  it('are read later when Azure asks to wait', async () => {
    await using test = await start();
    test.server.intercept(() => ({ status: 429, headers: { 'retry-after': '17' }, body: {} }));
    await assert.rejects(test.read(resource({ tags: {} })), (error: Error & { code?: string; details?: object }) => {
      assert.equal(error.code, 'CloudThrottled');
      assert.deepEqual(error.details, { retryAfterSeconds: 17 });
      return true;
    });
  });

  it('are not taken from a subscription that the credentials cannot see', async () => {
    await using test = await start();
    test.server.intercept(({ url }) =>
      url.pathname.endsWith(testSubscription) ? { status: 404, body: {} } : undefined,
    );
    await assert.rejects(test.read(resource({ tags: {} })), { code: 'CloudDenied' });
  });
});
