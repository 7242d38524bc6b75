import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AzureResource } from '../../../kinds/clouds/azure-resource.ts';
import { cloudContract, type TestMachine } from '../test-cloud-contract.ts';
import { fastRate } from '../test-cloud-world.ts';
import { createAzureCloud } from './azure-cloud.ts';
import { joinInventory } from './azure-inventory.ts';
import { resolveAzure } from './resolve-azure.ts';
import { startTestAzureServer, testSecret, testSubscription, testTenant } from './test-azure-server.ts';

const azure = { tenantId: testTenant, subscriptionId: testSubscription };

cloudContract({
  name: 'Azure',
  create: createAzureCloud,
  account: { azure },
  secret: testSecret,
  start: startTestAzureServer,
  select: service => ({ tags: { app: service } }),
  place: { region: 'westeurope', zone: '1' },
  throttled: {
    response: { status: 429, headers: { 'retry-after': '60' }, body: { error: { code: 'TooManyRequests' } } },
    seconds: 60,
  },
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
  const cloud = createAzureCloud({ endpoint: server.url, rateLimit: fastRate });
  const reader = await cloud.connect({
    account: { azure, pollSeconds: 30 },
    secret,
  });
  const read = (spec: AzureResource['spec']) => reader.read([spec], AbortSignal.timeout(10_000));
  return {
    ...{ server, read },
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
    for (const name of ['set', 'SET']) {
      const tagged = await test.resolve({ tags: { [name]: 'baz' } });
      assert.deepEqual(
        tagged.machines.map(({ address }) => address),
        ['10.0.0.7', '10.0.0.8', '10.0.0.9'],
        'names of tags are compared without case',
      );
    }
    assert.deepEqual((await test.resolve({ tags: { set: 'BAZ' } })).machines, []);
    assert.deepEqual((await test.resolve({ tags: { app: 'web' }, resourceGroup: 'other' })).machines, []);
    assert.equal((await test.resolve({ tags: { app: 'web' }, resourceGroup: 'Mesh-RG' })).machines.length, 3);
  });

  it('are instances of flexible scale sets as well, which are virtual machines of the subscription', async () => {
    await using test = await start();
    test.server.setMachines('web', [vm(1)]);
    test.server.setScaleSet('flex', [vm(5), vm(6, { health: 'draining' })], 'Flexible');
    const set = `${group}/virtualMachineScaleSets/flex`;
    for (const which of [{ ids: [set] }, { tags: { set: 'flex' } }]) {
      const { machines, missing } = await test.resolve(which);
      assert.deepEqual(
        machines.map(({ address, state }) => `${address} ${state}`),
        ['10.0.0.5 Running', '10.0.0.6 Draining'],
      );
      assert.deepEqual(missing, []);
    }
    assert.ok(!test.server.requests.some(path => path.startsWith(`${set}/`)), 'one list has them all');
  });

  it('stay as they were in a scale set that cannot be read, and others are read', async () => {
    await using test = await start();
    test.server.setMachines('web', [vm(1)]);
    test.server.setScaleSet('baz', [vm(7)]);
    test.server.setScaleSet('qux', [vm(8)]);
    const [baz, qux] = ['baz', 'qux'].map(name => `${group}/virtualMachineScaleSets/${name}`) as [string, string];
    test.server.intercept(({ url }) => (url.pathname.startsWith(`${baz}/`) ? { status: 500, body: {} } : undefined));
    const spec = resource({ ids: [`${group}/virtualMachines/vm-1`, baz, qux] });
    const { inventory, unread } = await test.read(spec);
    assert.deepEqual([unread?.places, unread?.error.code], [[baz], 'CloudUnreachable']);
    const { machines, missing, keeps } = resolveAzure(spec, inventory);
    assert.deepEqual(
      machines.map(({ address }) => address),
      ['10.0.0.1', '10.0.0.8'],
    );
    assert.deepEqual(missing, []);
    const endpoint = { ip: '10.0.0.7', port: 80, portName: 'http', state: 'Running' as const, weight: 1 };
    assert.ok(keeps?.({ ...endpoint, source: `${baz.toUpperCase()}/virtualMachines/vm-7` }));
    assert.ok(!keeps?.({ ...endpoint, source: `${qux}/virtualMachines/vm-9` }), 'which was read, and does not have it');
  });

  it('are not taken to be gone when a list is missing', async () => {
    await using test = await start();
    test.server.intercept(({ url }) =>
      url.pathname.endsWith('/networkInterfaces') ? { status: 404, body: {} } : undefined,
    );
    await assert.rejects(test.read(resource({ tags: { app: 'web' } })), { code: 'CloudDenied' });
  });

  it('are judged by what the extension for the health of applications reports', () => {
    const states = ['healthy', 'initializing', 'unhealthy', 'unknown', ''].map(health => {
      const machine = { id: health, power: 'running', isDeleting: false, health, privateIp: '10.0.0.1' };
      const rest = { region: '', zone: undefined, scaleSet: undefined, publicIp: undefined, ipv6: undefined };
      const machines = [{ ...machine, ...rest, key: 'a', tags: { app: 'web' } }];
      const inventory = { machines, scaleSets: new Map(), unreadScaleSets: [] };
      return resolveAzure(resource({ tags: { app: 'web' } }), inventory).machines[0]?.state;
    });
    assert.deepEqual(states, ['Running', 'Starting', 'Unhealthy', 'Unhealthy', 'Running']);
  });

  it('have their public addresses where these are wanted', async () => {
    await using test = await start();
    test.server.setMachines('web', [vm(1)]);
    test.server.setScaleSet('baz', [vm(7)]);
    const publicOnes = async (which: Partial<AzureResource['spec']>) =>
      (await test.resolve({ ...which, address: 'public' })).machines.map(({ address }) => address);
    assert.deepEqual(await publicOnes({ tags: { app: 'web' } }), ['198.51.100.2']);
    assert.deepEqual(await publicOnes({ tags: { set: 'baz' } }), ['198.51.100.8']);
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

  it('are read with another token when theirs is not accepted any more', async () => {
    await using test = await start();
    test.server.setMachines('web', [vm(1)]);
    await test.read(resource({ tags: {} }));
    let isRevoked = true;
    test.server.intercept(({ url }) => {
      if (url.pathname.endsWith('/token')) isRevoked = false;
      return isRevoked ? { status: 401, body: { error: { code: 'InvalidAuthenticationToken' } } } : undefined;
    });
    assert.equal((await test.resolve({ tags: { app: 'web' } })).machines.length, 1);
  });

  it('have the addresses of the primary configuration of their primary interface', () => {
    const configuration = (host: string, primary: boolean, version = 'IPv4') => ({
      properties: {
        ...{
          primary,
          privateIPAddressVersion: version,
          privateIPAddress: version === 'IPv4' ? `10.0.0.${host}` : host,
        },
        publicIPAddress: { properties: { ipAddress: version === 'IPv4' ? `198.51.100.${host}` : `2001:db8::${host}` } },
      },
    });
    const id = `${group}/virtualMachines/vm-1`;
    const nic = (primary: boolean, ...ipConfigurations: readonly ReturnType<typeof configuration>[]) => ({
      ...{ id: `nic-${primary}`, properties: { primary, virtualMachine: { id }, ipConfigurations } },
    });
    const interfaces = [
      nic(false, configuration('9', true), configuration('fd00::9', false, 'IPv6')),
      nic(true, configuration('fd00::1', false, 'IPv6'), configuration('2', false), configuration('1', true)),
    ];
    const none = { states: [], scaleSets: [], unreadScaleSets: [], publicAddresses: [] };
    const [machine] = joinInventory({ ...none, machines: [{ machine: { id } }], interfaces }).machines;
    assert.deepEqual([machine?.privateIp, machine?.publicIp, machine?.ipv6], ['10.0.0.1', '198.51.100.1', 'fd00::1']);
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
