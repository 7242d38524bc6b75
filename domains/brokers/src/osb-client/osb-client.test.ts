import assert from 'node:assert/strict';
import { test } from 'node:test';
import { originatingIdentity } from '../model/osb/context-signature.ts';
import { startScriptedBroker } from '../test-broker/scripted-broker.ts';
import { connectTo } from '../test-broker/test-connect.ts';
import { createOsbClient, type OsbClient } from './osb-client.ts';
import type { OsbClientOptions } from './send-exchange.ts';

type Broker = OsbClientOptions['broker'];

async function startWorld({ spec = {}, status = {} }: Partial<Broker> = {}) {
  const broker = await startScriptedBroker();
  const connection = connectTo(broker);
  const row = { id: 'b1', spec: { name: 'db', ...spec }, status };
  const client = createOsbClient(connection, { broker: row, correlationId: 'c-1' });
  return {
    broker,
    connection,
    client,
    row,
    async [Symbol.asyncDispose]() {
      await connection[Symbol.asyncDispose]();
      await broker[Symbol.asyncDispose]();
    },
  };
}

const ids = { service_id: 'database-id', plan_id: 'database-sync' };
const slowIds = { ...ids, plan_id: 'database-slow' };
const body = { ...ids, organization_guid: '-', space_guid: '-' };
const provision = (client: OsbClient, instanceId: string, planId = ids.plan_id) =>
  client.provision({ instanceId, acceptsIncomplete: true, body: { ...body, plan_id: planId } });

test('an instance is made, changed, bound, shown and removed', async () => {
  await using world = await startWorld();
  const { client, broker } = world;
  const instanceId = 'i/1 ?';
  const types: string[] = [];
  const note = async (outcome: ReturnType<OsbClient['catalog']>) => {
    const { type } = await outcome;
    types.push(type);
  };
  await note(client.catalog());
  await note(provision(client, instanceId));
  await note(client.update({ instanceId, acceptsIncomplete: true, body: { ...ids, parameters: { size: 2 } } }));
  await note(client.bind({ instanceId, bindingId: 'b#1', acceptsIncomplete: false, body: ids }));
  await note(client.fetchInstance({ instanceId, ...ids }));
  await note(client.fetchBinding({ instanceId, bindingId: 'b#1' }));
  assert.deepEqual([...broker.instances.keys(), ...broker.bindings.keys()], ['i/1 ?', 'b#1']);
  await note(client.unbind({ instanceId, bindingId: 'b#1', acceptsIncomplete: false, ...ids }));
  await note(client.deprovision({ instanceId, acceptsIncomplete: true, ...ids }));
  await note(client.deprovision({ instanceId, acceptsIncomplete: true, ...ids }));
  assert.deepEqual(types, Array<string>(9).fill('succeeded'));
  assert.equal(broker.instances.size + broker.bindings.size, 0);
});

test('requests carry version, identities and content type', async () => {
  await using world = await startWorld();
  const { broker, connection, row } = world;
  const caller = { tenant: 'acme', platformId: 'p' };
  const client = createOsbClient(connection, { broker: row, correlationId: 'c-1', caller });
  const identity = originatingIdentity('service-manager', { username: 'jane' });
  await client.provision({ instanceId: 'i', acceptsIncomplete: true, body, identity });
  await client.fetchInstance({ instanceId: 'i' });
  const [put, get] = broker.requests;
  assert.equal(put?.url, '/v2/service_instances/i?accepts_incomplete=true');
  assert.equal(put.headers['x-broker-api-version'], '2.17');
  assert.equal(put.headers['x-broker-api-request-identity'], 'c-1');
  assert.equal(put.headers['x-correlation-id'], 'c-1');
  assert.equal(put.headers['x-broker-api-originating-identity'], identity);
  assert.equal(put.headers['content-type'], 'application/json');
  assert.equal(put.headers['x-chandlery-tenant'], undefined);
  assert.equal(get?.url, '/v2/service_instances/i');
  assert.equal(get.headers['content-type'], undefined);
  assert.equal(get.headers['x-broker-api-originating-identity'], undefined);
});

const versions: readonly { readonly given: Partial<Broker>; readonly sent: string }[] = [
  { given: {}, sent: '2.17' },
  { given: { status: { apiVersion: '2.14' } }, sent: '2.14' },
  { given: { spec: { apiVersion: '2.15' }, status: { apiVersion: '2.14' } }, sent: '2.15' },
];
for (const { given, sent } of versions)
  test(`a broker with ${JSON.stringify(given)} is spoken to in ${sent}`, async () => {
    await using world = await startWorld(given);
    await world.client.catalog();
    assert.equal(world.broker.requests[0]?.headers['x-broker-api-version'], sent);
  });

test('what takes longer is polled for by its own name', async () => {
  await using world = await startWorld();
  const { client, broker } = world;
  const accepted = await provision(client, 'i', slowIds.plan_id);
  assert.ok(accepted.type === 'accepted' && accepted.operation !== undefined);
  const poll = { instanceId: 'i', verb: 'provision', operation: accepted.operation, ...slowIds } as const;
  assert.deepEqual(await client.pollInstance(poll), {
    type: 'in progress',
    retryAfterSeconds: 1,
    description: 'still at it',
  });
  const operation = encodeURIComponent(accepted.operation);
  assert.equal(
    broker.requests.at(-1)?.url,
    `/v2/service_instances/i/last_operation?service_id=database-id&plan_id=database-slow&operation=${operation}`,
  );
  broker.finish('i', 'failed', { description: 'no room' });
  const end = await client.pollInstance(poll);
  assert.ok(end.type === 'failed' && end.mitigate);
  assert.equal(end.error.message, 'Service broker db failed with: no room');
});

test('a binding that takes longer is polled for, too', async () => {
  await using world = await startWorld();
  const { client, broker } = world;
  await provision(client, 'i', slowIds.plan_id);
  broker.finish('i');
  const place = { instanceId: 'i', bindingId: 'b' };
  assert.equal((await client.bind({ ...place, acceptsIncomplete: true, body: slowIds })).type, 'accepted');
  const poll = { ...place, verb: 'bind', ...slowIds } as const;
  assert.equal((await client.pollBinding(poll)).type, 'in progress');
  broker.finish('b');
  assert.equal((await client.pollBinding(poll)).type, 'succeeded');
});

test('what a broker does not answer is an outcome, what the caller gives up is thrown', async () => {
  await using world = await startWorld();
  const { client, broker, connection, row } = world;
  broker.misbehave({ type: 'drop' });
  const lost = await provision(client, 'i');
  assert.ok(lost.type === 'failed' && lost.mitigate && lost.error.code === 'ServiceBrokerErr');
  const signal = AbortSignal.abort(new Error('hung up'));
  const impatient = createOsbClient(connection, { broker: row, correlationId: 'c', signal });
  await assert.rejects(impatient.catalog(), /hung up/);
});
