import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import type { GoogleResource } from '../../../kinds/clouds/google-resource.ts';
import { cloudContract, type TestMachine } from '../test-cloud-contract.ts';
import { createGoogleCloud } from './google-cloud.ts';
import { startTestGoogleServer, testKey, testProject } from './test-google-server.ts';

const google = { project: testProject };

cloudContract({
  name: 'Google',
  create: createGoogleCloud,
  account: { google },
  secret: testKey,
  start: startTestGoogleServer,
  select: service => ({ labels: { app: service } }),
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

async function start(secret: Readonly<Record<string, string>> = testKey) {
  const server = await startTestGoogleServer();
  const cloud = createGoogleCloud({ endpoint: server.url });
  const reader = await cloud.connect({
    account: { google, pollSeconds: 30 },
    secret,
  });
  const read = (spec: GoogleResource['spec']) => reader.read([spec], AbortSignal.timeout(10_000));
  return {
    server,
    read,
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
    assert.deepEqual(unread?.regions, ['us-east1']);
    assert.equal(inventory.instances.size, 1);
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
