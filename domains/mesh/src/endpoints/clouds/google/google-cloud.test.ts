import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import type { GoogleResource } from '../../../kinds/clouds/google-resource.ts';
import { cloudContract, type TestMachine } from '../test-cloud-contract.ts';
import { fastRate } from '../test-cloud-world.ts';
import { createGoogleCloud } from './google-cloud.ts';
import { resolveGoogle } from './resolve-google.ts';
import { startTestGoogleServer, testKey, testProject } from './test-google-server.ts';

const google = { project: testProject };

cloudContract({
  name: 'Google',
  create: createGoogleCloud,
  account: { google },
  secret: testKey,
  start: startTestGoogleServer,
  select: service => ({ labels: { app: service } }),
  place: { region: 'europe-west1', zone: 'europe-west1-b' },
  throttled: {
    // Compute Engine has no response of its own for too many requests.
    response: {
      status: 403,
      body: { error: { code: 403, errors: [{ domain: 'usageLimits', reason: 'rateLimitExceeded', message: 'no' }] } },
    },
    seconds: 60,
  },
});

const zone = 'europe-west1-b';
const instance = (no: number, more: Partial<TestMachine> = {}): TestMachine => ({
  ...{ name: `web-${no}`, service: 'web', ip: `10.0.0.${no}`, zone, health: 'healthy' },
  ...more,
});
const resource = (more: Partial<GoogleResource['spec']>): GoogleResource['spec'] => ({
  ...{ account: 'prod', service: 'web', ports: [], weight: 1, address: 'private' },
  ...more,
});

const endpointIn = (ofZone: string) => ({
  ...{ ip: '10.0.0.3', port: 80, portName: 'http', state: 'Running' as const, weight: 1, zone: ofZone },
});

async function start(secret: Readonly<Record<string, string>> = testKey) {
  const server = await startTestGoogleServer();
  const cloud = createGoogleCloud({ endpoint: server.url, rateLimit: fastRate });
  const reader = await cloud.connect({
    account: { google, pollSeconds: 30 },
    secret,
  });
  const read = (spec: GoogleResource['spec']) => reader.read([spec], AbortSignal.timeout(10_000));
  return {
    ...{ server, reader, read },
    resolve: async (more: Partial<GoogleResource['spec']>) => {
      const spec = resource(more);
      const { machines, missing } = cloud.resolve(spec, (await read(spec)).inventory);
      return { missing, machines: machines.map(({ address, state }) => `${address} ${state}`) };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describe('Machines of Google Cloud', () => {
  it('are instances by name, with their place', async () => {
    await using test = await start();
    test.server.setMachines('web', [instance(1), instance(2), instance(3, { zone: 'us-east1-c' })]);
    const instances = [
      `zones/${zone}/instances/web-1`,
      'zones/us-east1-c/instances/web-3',
      `zones/${zone}/instances/gone`,
    ];
    const { machines, missing } = await test.resolve({ instances });
    assert.deepEqual(machines, ['10.0.0.1 Running', '10.0.0.3 Running']);
    assert.deepEqual(missing, [`zones/${zone}/instances/gone`]);
    assert.deepEqual((await test.resolve({ instances, address: 'public' })).machines, [
      '198.51.100.1 Running',
      '198.51.100.3 Running',
    ]);
  });

  it('are members of managed groups with their health, and of other groups', async () => {
    await using test = await start();
    const machines = [1, 2, 3, 4].map(no => instance(no));
    test.server.setMachines('web', machines);
    const [first, second, third, fourth] = machines as [TestMachine, TestMachine, TestMachine, TestMachine];
    const managed = 'regions/europe-west1/instanceGroups/web';
    test.server.setManagedGroup(managed, [
      { machine: first, health: 'HEALTHY' },
      { machine: second, health: 'TIMEOUT' },
      { machine: third, currentAction: 'DELETING' },
      { machine: fourth, currentAction: 'VERIFYING' },
    ]);
    const expected = ['10.0.0.1 Running', '10.0.0.2 Unhealthy', '10.0.0.3 Draining', '10.0.0.4 Starting'];
    assert.deepEqual((await test.resolve({ instanceGroup: managed })).machines, expected);
    const plain = `zones/${zone}/instanceGroups/old`;
    test.server.setPlainGroup(plain, [second]);
    assert.deepEqual((await test.resolve({ instanceGroup: plain })).machines, ['10.0.0.2 Running']);
    assert.deepEqual((await test.resolve({ instanceGroup: `${plain}er` })).missing, [`${plain}er`]);
  });

  it('of a region that is not reachable are unread, and not removed', async () => {
    await using test = await start();
    test.server.setMachines('web', [instance(1), instance(3, { zone: 'us-east1-c' })]);
    test.server.setUnreachable(['us-east1-c']);
    const { unread, inventory } = await test.read(resource({ labels: { app: 'web' } }));
    assert.deepEqual(unread?.places, ['us-east1-c']);
    assert.match(unread?.error.message ?? '', /does not reach us-east1-c of the project shop-prod/);
    assert.equal(inventory.instances.size, 1);
    const { keeps } = resolveGoogle(resource({ labels: { app: 'web' } }), inventory);
    assert.ok(keeps?.(endpointIn('us-east1-c')));
    assert.ok(!keeps?.(endpointIn('us-east1-b')), 'another zone of the region was read');
  });

  it('of a region without a response to some zones, whichever these are, are not read at all', async () => {
    await using test = await start();
    test.server.setMachines('web', [instance(1)]);
    const part = { items: {}, warning: { code: 'UNREACHABLE', message: 'some' } };
    test.server.intercept(({ url }) => (url.pathname.includes('/aggregated/') ? { body: part } : undefined));
    await assert.rejects(test.read(resource({ labels: { app: 'web' } })), { code: 'CloudUnreachable' });
  });

  it('of a group that cannot be read stay as they were, and others are read', async () => {
    await using test = await start();
    test.server.setMachines('web', [instance(1), instance(3, { zone: 'us-east1-c' })]);
    const [near, far] = [`zones/${zone}/instanceGroups/web`, 'regions/us-east1/instanceGroups/web'];
    test.server.setManagedGroup(near, [{ machine: instance(1), health: 'HEALTHY' }]);
    test.server.intercept(({ url }) =>
      url.pathname.includes('/regions/us-east1/')
        ? { status: 503, headers: { 'retry-after': '7' }, body: {} }
        : undefined,
    );
    const [first, second] = [resource({ instanceGroup: near }), resource({ instanceGroup: far })];
    const { unread, inventory } = await test.reader.read([first, second], AbortSignal.timeout(10_000));
    assert.deepEqual([unread?.places, unread?.error.code], [[far], 'CloudThrottled']);
    const addresses = (spec: GoogleResource['spec']) =>
      resolveGoogle(spec, inventory).machines.map(each => each.address);
    assert.deepEqual([addresses(first), addresses(second)], [['10.0.0.1'], []]);
    assert.ok(resolveGoogle(second, inventory).keeps?.(endpointIn('us-east1-c')));
    assert.equal(resolveGoogle(first, inventory).keeps, undefined);
  });

  it('are not read while a quota is used up', async () => {
    await using test = await start();
    const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'RATE_LIMIT_EXCEEDED' }];
    for (const [error, code] of [
      [{ errors: [{ reason: 'rateLimitExceeded' }] }, 'CloudThrottled'],
      [{ details }, 'CloudThrottled'],
      [{ errors: [{ reason: 'accessNotConfigured' }] }, 'CloudDenied'],
      [{ errors: 'rateLimitExceeded' }, 'CloudDenied'],
      ['rateLimitExceeded', 'CloudDenied'],
    ] as const) {
      test.server.intercept(({ url }) =>
        url.pathname.includes('/aggregated/') ? { status: 403, body: { error } } : undefined,
      );
      await assert.rejects(test.read(resource({ labels: {} })), { code });
    }
  });

  it('are read with one token, however many questions there are at first', async () => {
    await using test = await start();
    const groups = ['a', 'b', 'c'].map(name => resource({ instanceGroup: `zones/${zone}/instanceGroups/${name}` }));
    await test.reader.read(groups, AbortSignal.timeout(10_000));
    assert.equal(test.server.requests.filter(path => path === '/token').length, 1);
  });

  it('are not read with a wrong key, and its addresses are ignored', async () => {
    await using test = await start();
    await test.read(resource({ labels: {} }));
    assert.equal(test.server.requests[0], '/token');
    const other = JSON.parse(testKey['key.json']) as object;
    await using foreign = await start({ 'key.json': JSON.stringify({ ...other, client_email: 'other@x' }) });
    await assert.rejects(foreign.read(resource({ labels: {} })), { code: 'CloudDenied' });
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 4224 });
    const large = { client_email: 'a', private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }) };
    for (const key of ['{"client_email":"a"}', JSON.stringify(large)]) {
      await using broken = await start({ 'key.json': key });
      await assert.rejects(broken.read(resource({ labels: {} })), { code: 'CloudCredentialsInvalid' });
    }
  });
});
