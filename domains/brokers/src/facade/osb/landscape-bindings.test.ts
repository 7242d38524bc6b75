import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryInternalBroker } from '../../adapters/internal-broker/test-internal-broker.ts';
import { seedBroker, seedVisibility } from '../../test-registry.ts';
import { startTestOsb } from './test-osb.ts';

const catalog = [{ id: 'memory', name: 'memory', plans: [{ id: 'memory-sync', name: 'sync' }] }];
const ids = { service_id: 'memory', plan_id: 'memory-sync' };

test('a binding of an offering of the landscape is there from bind to unbind, whatever its source remembers', async () => {
  const source = new MemoryInternalBroker();
  await using world = await startTestOsb({ internalBrokers: new Map([['memory', source]]) });
  const { plans } = await seedBroker(world.registry, { id: 'landscape-memory', spec: { internal: 'memory' }, catalog });
  for (const { id } of plans) await seedVisibility(world.registry, { spec: { planId: id } });
  const ask = (method: string, path: string, body?: object) =>
    world.ask(method, `/service_instances/i${path}`, { broker: 'landscape-memory', body });
  const made = await ask('PUT', '', { ...ids, organization_guid: 'o', space_guid: 's' });
  assert.equal(made.status, 201, made.text);
  const credentials = { uri: 'memory://i' };
  source.credentials = async () => credentials;
  assert.equal((await ask('GET', '/service_bindings/b')).status, 404);
  const misnamed = { ...ids, bind_resource: { service_account: 'acme/web/1' } };
  const rejected = await ask('PUT', '/service_bindings/b', misnamed);
  assert.equal(rejected.status, 400);
  assert.match(rejected.text, /bind_resource\.service_account/);
  assert.equal((await ask('PUT', '/service_bindings/b', ids)).status, 201);
  assert.deepEqual((await ask('GET', '/service_bindings/b')).body, { credentials });
  assert.equal((await ask('DELETE', `/service_bindings/b?${new URLSearchParams(ids)}`)).status, 200);
  assert.equal((await ask('GET', '/service_bindings/b')).status, 404);
});
