import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { defaultCatalog } from './default-catalog.ts';
import { osbBrokerContract } from './osb-broker-contract.ts';
import { type ScriptedBroker, startScriptedBroker } from './scripted-broker.ts';
import { connectTo } from './test-connect.ts';

osbBrokerContract('the scripted broker', async () => {
  const broker = await startScriptedBroker();
  const connection = connectTo(broker);
  return {
    connection,
    syncPlan: { serviceId: 'database-id', planId: 'database-sync' },
    slowPlan: { serviceId: 'database-id', planId: 'database-slow' },
    knowsBindings: true,
    finish: id => broker.finish(id),
    async [Symbol.asyncDispose]() {
      await connection[Symbol.asyncDispose]();
      await broker[Symbol.asyncDispose]();
    },
  };
});

const headers = {
  'x-broker-api-version': '2.17',
  authorization: `Basic ${Buffer.from('admin:broker-password').toString('base64')}`,
  'content-type': 'application/json',
};

const send = async (broker: ScriptedBroker, method: string, path: string, body?: JsonObject) => {
  const answer = await fetch(`${broker.url}/v2/${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as JsonObject };
};

const instance = (planId: string): JsonObject => ({
  service_id: 'database-id',
  plan_id: planId,
  organization_guid: 'o',
  space_guid: 's',
});

test('authenticates callers by the configured credentials', async () => {
  await using broker = await startScriptedBroker();
  assert.equal((await send(broker, 'GET', 'catalog')).status, 200);
  broker.accept({ type: 'bearer', token: 'secret' });
  assert.equal((await send(broker, 'GET', 'catalog')).status, 401);
  broker.accept({ type: 'none' });
  assert.equal((await send(broker, 'GET', 'catalog')).status, 200);
});

test('an asynchronous plan ends after some polls, and each poll says when to come back', async () => {
  await using broker = await startScriptedBroker({ asyncPolls: 1, endsDeletesWith: 410 });
  await send(broker, 'PUT', 'service_instances/a?accepts_incomplete=true', instance('database-async'));
  const first = await send(broker, 'GET', 'service_instances/a/last_operation');
  assert.deepEqual([first.body['state'], first.headers.get('retry-after')], ['in progress', '1']);
  assert.equal((await send(broker, 'GET', 'service_instances/a/last_operation')).body['state'], 'succeeded');
  await send(broker, 'DELETE', 'service_instances/a?accepts_incomplete=true&service_id=s&plan_id=p');
  await send(broker, 'GET', 'service_instances/a/last_operation');
  assert.equal((await send(broker, 'GET', 'service_instances/a/last_operation')).status, 410);
  assert.equal(broker.instances.size, 0);
});

test('a scripted failure of an operation leaves a wreck that can be deleted', async () => {
  await using broker = await startScriptedBroker();
  await send(broker, 'PUT', 'service_instances/a?accepts_incomplete=true', instance('database-slow'));
  broker.misbehave({ type: 'fail-operation', details: { description: 'no room' } }, { path: /last_operation/ });
  const poll = await send(broker, 'GET', 'service_instances/a/last_operation');
  assert.deepEqual(poll.body, { state: 'failed', description: 'no room' });
  assert.equal((await send(broker, 'GET', 'service_instances/a')).status, 404);
  assert.ok(broker.instances.has('a'));
  const removal = 'service_instances/a?accepts_incomplete=true&service_id=s&plan_id=p';
  assert.equal((await send(broker, 'DELETE', removal)).status, 202);
});

test('misbehaves as often as scripted, whether or not it acts', async () => {
  await using broker = await startScriptedBroker();
  broker.misbehave({ type: 'answer', status: 500, body: { description: 'oh' } }, { method: 'PUT', acts: true });
  broker.misbehave({ type: 'answer', status: 500 }, { method: 'PUT' });
  assert.equal((await send(broker, 'PUT', 'service_instances/a', instance('database-sync'))).status, 500);
  assert.equal((await send(broker, 'PUT', 'service_instances/b', instance('database-sync'))).status, 500);
  assert.equal((await send(broker, 'PUT', 'service_instances/c', instance('database-sync'))).status, 201);
  assert.deepEqual([...broker.instances.keys()], ['a', 'c']);
});

test('rotates bindings of rotatable plans only, within one instance', async () => {
  await using broker = await startScriptedBroker();
  for (const [id, plan] of [['a', 'database-rotatable'] as const, ['b', 'database-sync'] as const]) {
    await send(broker, 'PUT', `service_instances/${id}`, instance(plan));
    const body = { ...instance(plan), parameters: { role: 'reader' } };
    assert.equal((await send(broker, 'PUT', `service_instances/${id}/service_bindings/${id}1`, body)).status, 201);
  }
  const rotate = (id: string, from: string) =>
    send(broker, 'PUT', `service_instances/${id}/service_bindings/${id}2`, { predecessor_binding_id: from });
  assert.equal((await rotate('a', 'a1')).status, 201);
  assert.deepEqual(broker.bindings.get('a2')?.parameters, { role: 'reader' });
  assert.equal((await rotate('b', 'b1')).status, 400);
  assert.equal((await rotate('a', 'b1')).status, 400);
});

test('dies and comes back where it was, with what it knew', async () => {
  await using broker = await startScriptedBroker({ catalog: defaultCatalog('-x') });
  await send(broker, 'PUT', 'service_instances/a', { ...instance('database-x-sync'), service_id: 'database-x-id' });
  await broker.stop();
  await assert.rejects(send(broker, 'GET', 'catalog'));
  await broker.start();
  assert.equal((await send(broker, 'GET', 'service_instances/a')).status, 200);
  assert.equal(broker.requests.length, 2);
});
