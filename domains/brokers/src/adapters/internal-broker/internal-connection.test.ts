import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChandleryError, type JsonObject } from '@chandlery/api';
import type { BrokerRequest } from '../../ports.ts';
import { osbBrokerContract } from '../../test-broker/osb-broker-contract.ts';
import { internalConnection } from './internal-connection.ts';
import { MemoryInternalBroker } from './test-internal-broker.ts';

osbBrokerContract('an internal broker', async () => {
  const broker = new MemoryInternalBroker();
  return {
    connection: internalConnection(broker),
    syncPlan: { serviceId: 'memory', planId: 'memory-sync' },
    slowPlan: { serviceId: 'memory', planId: 'memory-slow' },
    knowsBindings: false,
    finish: id => broker.finish(id),
    [Symbol.asyncDispose]: async () => undefined,
  };
});

const instance = (planId: string): JsonObject => ({
  service_id: 'memory',
  plan_id: planId,
  organization_guid: 'o',
  space_guid: 's',
  context: { platform: 'kubernetes' },
});

function open() {
  const broker = new MemoryInternalBroker();
  const connection = internalConnection(broker);
  const send = async (method: BrokerRequest['method'], path: string, body?: JsonObject | string) => {
    const headers = { 'x-broker-api-version': '2.15', 'x-chandlery-tenant': 'acme', 'x-chandlery-platform': 'k8s' };
    const text = typeof body === 'object' ? JSON.stringify(body) : body;
    const request = { method, path: `/v2/${path}`, headers, ...(text === undefined ? {} : { body: text }) };
    const answer = await connection.call(request);
    return { status: answer.status, body: JSON.parse(answer.body.toString()) as JsonObject };
  };
  return { broker, connection, send };
}

test('says for whom an instance is', async () => {
  const { broker, send } = open();
  await send('PUT', 'service_instances/a', instance('memory-sync'));
  const caller = { tenant: 'acme', platformId: 'k8s', context: { platform: 'kubernetes' } };
  assert.deepEqual(broker.instances.get('a')?.instance.caller, caller);
});

test('a call that has to wait for an earlier one is to be made again', async () => {
  const { broker, send } = open();
  broker.provision = async () => {
    throw new ChandleryError('ConcurrencyError', 'the earlier one is still being removed');
  };
  const { status, body } = await send('PUT', 'service_instances/a?accepts_incomplete=true', instance('memory-sync'));
  assert.deepEqual([status, body['error']], [422, 'ConcurrencyError']);
});

test('schemas of parameters are of a draft, and only for creations', async () => {
  const { send } = open();
  const { body } = await send('GET', 'catalog');
  const [offering] = body['services'] as { plans: { free: boolean; schemas?: JsonObject }[] }[];
  assert.deepEqual(offering?.plans[0]?.schemas, {
    service_instance: {
      create: {
        parameters: {
          $schema: 'http://json-schema.org/draft-04/schema#',
          type: 'object',
          properties: { size: { type: 'integer' } },
        },
      },
    },
  });
  assert.equal(offering?.plans[1]?.free, false);
});

test('an operation is named by its verb, and a failure has a description', async () => {
  const { broker, send } = open();
  const made = await send('PUT', 'service_instances/a?accepts_incomplete=true', instance('memory-slow'));
  assert.deepEqual(made.body, { operation: 'provision', dashboard_url: 'http://dashboard.example' });
  const memory = broker.instances.get('a');
  assert.ok(memory);
  memory.failure = 'no room';
  const poll = await send('GET', 'service_instances/a/last_operation?operation=provision');
  assert.deepEqual(poll.body, { state: 'failed', description: 'no room' });
});

test('a deletion is in progress while the instance exists, and 410 afterwards', async () => {
  const { broker, send } = open();
  await send('PUT', 'service_instances/a', instance('memory-sync'));
  const poll = () => send('GET', 'service_instances/a/last_operation?operation=deprovision');
  assert.equal((await poll()).body['state'], 'in progress');
  broker.instances.clear();
  assert.equal((await poll()).status, 410);
});

test('a binding whose credentials are not there yet is polled for, then fetched', async () => {
  const { broker, send } = open();
  broker.areCredentialsReady = false;
  await send('PUT', 'service_instances/a', instance('memory-sync'));
  const path = 'service_instances/a/service_bindings/b';
  const rejection = await send('PUT', path, instance('memory-sync'));
  assert.deepEqual([rejection.status, rejection.body['error']], [422, 'AsyncRequired']);
  assert.equal(broker.bindings.size, 0, 'a refusal leaves nothing');
  const accepted = await send('PUT', `${path}?accepts_incomplete=true`, instance('memory-sync'));
  assert.deepEqual([accepted.status, accepted.body], [202, { operation: 'bind' }]);
  assert.equal((await send('GET', `${path}/last_operation?operation=bind`)).body['state'], 'in progress');
  assert.equal((await send('GET', path)).status, 404);
  broker.areCredentialsReady = true;
  assert.equal((await send('GET', `${path}/last_operation?operation=bind`)).body['state'], 'succeeded');
  assert.deepEqual((await send('GET', path)).body, { credentials: { user: 'b', instance: 'a' } });
});

test('a clean-up after a failed creation is named', async () => {
  const { broker, connection } = open();
  const seen: unknown[] = [];
  broker.deprovision = async (_, options) => {
    seen.push(options?.isMitigation);
    return { state: 'done' };
  };
  await connection.call({
    method: 'PUT',
    path: '/v2/service_instances/a?accepts_incomplete=true',
    headers: { 'x-broker-api-version': '2.15' },
    body: JSON.stringify(instance('memory-slow')),
  });
  for (const mitigation of ['true', 'false'])
    await connection.call({
      method: 'DELETE',
      path: '/v2/service_instances/a?accepts_incomplete=true&service_id=memory&plan_id=memory-slow',
      headers: { 'x-broker-api-version': '2.15', 'x-chandlery-mitigation': mitigation },
    });
  assert.deepEqual(seen, [true, false]);
});

test('asking for a binding does not bind', async () => {
  const { broker, send } = open();
  await send('PUT', 'service_instances/a', instance('memory-sync'));
  const path = 'service_instances/a/service_bindings/b';
  assert.equal((await send('GET', path)).status, 404);
  assert.equal((await send('GET', `${path}/last_operation?operation=bind`)).status, 404);
  assert.equal((await send('GET', `${path}/last_operation?operation=unbind`)).status, 410);
  assert.deepEqual([broker.bindCalls, broker.bindings.size], [0, 0]);
  await send('PUT', path, instance('memory-sync'));
  assert.equal((await send('GET', path)).status, 200);
  assert.equal((await send('GET', `${path}/last_operation`)).body['state'], 'succeeded');
  assert.equal(broker.bindCalls, 1);
});

test('a caller that does not accept asynchronous responses is rejected before any change', async () => {
  const { broker, send } = open();
  await send('PUT', 'service_instances/a?accepts_incomplete=true', instance('memory-slow'));
  broker.finish('a');
  const change = { ...instance('memory-slow'), parameters: { size: 2 } };
  const ids = 'service_id=memory&plan_id=memory-slow';
  const statuses = [
    await send('PATCH', 'service_instances/a', change),
    await send('DELETE', `service_instances/a?${ids}`),
  ];
  for (const { status, body } of statuses) assert.deepEqual([status, body['error']], [422, 'AsyncRequired']);
  const memory = broker.instances.get('a');
  assert.deepEqual([memory?.underWay, memory?.parameters], [undefined, {}]);
  assert.equal((await send('PATCH', 'service_instances/a?accepts_incomplete=true', change)).status, 202);
});

test('an internal error becomes a failure without details', async () => {
  const { broker, send } = open();
  broker.provision = () => Promise.reject(new Error('password=secret'));
  const answer = await send('PUT', 'service_instances/a', instance('memory-sync'));
  assert.equal(answer.status, 500);
  assert.doesNotMatch(JSON.stringify(answer.body), /secret/);
});

test('bodies that are no JSON objects are rejected', async () => {
  const { send } = open();
  for (const body of ['[]', 'nonsense', '"text"', 'null'])
    assert.equal((await send('PUT', 'service_instances/a', body)).status, 400, body);
});

test('an aborted call is not made', async () => {
  const { connection, broker } = open();
  const signal = AbortSignal.abort(new Error('hung up'));
  const request = { method: 'GET', path: '/v2/catalog', headers: {} } as const;
  await assert.rejects(connection.call(request, { signal }), /hung up/);
  assert.equal(broker.instances.size, 0);
});

test('an object that another tenant has made is neither taken, shown nor deleted by its id', async () => {
  const { broker, send } = open();
  const object = {
    id: 'a',
    serviceId: 'memory',
    planId: 'memory-sync',
    name: 'a',
    tenant: 'other',
    isProvisioned: false,
    createdAt: '',
    progress: { state: 'succeeded' as const },
    isDeleting: false,
  };
  const objects = { listen: () => () => undefined, isComplete: () => true, get: async () => object };
  Object.assign(broker, { objects });
  const path = 'service_instances/a';
  const ids = '?service_id=memory&plan_id=memory-sync';
  assert.equal((await send('PUT', path, instance('memory-sync'))).status, 409);
  assert.equal((await send('DELETE', path + ids)).status, 410);
  assert.equal((await send('GET', path)).status, 404);
  assert.equal((await send('GET', `${path}/service_bindings/b`)).status, 404);
  assert.deepEqual([...broker.instances], []);
  Object.assign(object, { tenant: 'acme' });
  assert.equal((await send('PUT', path, instance('memory-sync'))).status, 201);
});
