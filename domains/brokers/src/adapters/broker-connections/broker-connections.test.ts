import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@chandlery/platform';
import { globalTenant } from '../../kinds/index.ts';
import { type BrokerRow, createRow, type Registry, removeRow, updateRow } from '../../model/rows.ts';
import type { BrokerRequest } from '../../ports.ts';
import { type BrokerSettings, defaultBrokerSettings } from '../../settings.ts';
import { startScriptedBroker } from '../../test-broker/scripted-broker.ts';
import { startTestRegistry } from '../../test-registry.ts';
import { MemoryInternalBroker } from '../internal-broker/test-internal-broker.ts';
import { createBrokerConnections } from './broker-connections.ts';

const catalog: BrokerRequest = { method: 'GET', path: '/v2/catalog', headers: { 'x-broker-api-version': '2.17' } };

async function startWorld(settings: BrokerSettings = defaultBrokerSettings) {
  const test = await startTestRegistry();
  const { registry } = test;
  const internalBrokers = new Map([['memory', new MemoryInternalBroker()]]);
  const connections = createBrokerConnections({ registry, internalBrokers, settings, logger: silentLogger });
  const call = async (id: string) => (await (await connections.of(rowOf(registry, id))).call(catalog)).status;
  return {
    registry,
    connections,
    call,
    async [Symbol.asyncDispose]() {
      await connections[Symbol.asyncDispose]();
      await test[Symbol.asyncDispose]();
    },
  };
}

function rowOf(registry: Registry, id: string): BrokerRow {
  const row = registry.brokers.get(id);
  assert.ok(row, `no broker "${id}"`);
  return row;
}

const secret = (password: string) =>
  ({ type: 'put-secret', tenant: globalTenant, name: 'b1', data: { username: 'admin', password } }) as const;

const register = (registry: Registry, url: string) =>
  registry.commit([
    secret('broker-password'),
    createRow({
      table: 'brokers',
      id: 'b1',
      tenant: globalTenant,
      spec: { name: 'one', url, credentialsSecret: 'b1' },
      status: { ready: true },
    }),
  ]);

test('credentials change under load without a failed call', async () => {
  await using broker = await startScriptedBroker();
  await using world = await startWorld();
  const { registry, call } = world;
  await register(registry, broker.url);
  const basic = (password: string) => ({ type: 'basic', username: 'admin', password }) as const;
  const statuses: number[] = [];
  const load = Array.from({ length: 8 }, async () => {
    for (let turn = 0; turn < 60; turn++) statuses.push(await call('b1'));
  });
  for (const password of ['second', 'third']) {
    broker.accept(basic('broker-password'), basic('second'), basic('third'));
    const row = rowOf(registry, 'b1');
    await registry.commit([
      secret(password),
      updateRow({ table: 'brokers', row, spec: { ...row.spec, description: password } }),
    ]);
  }
  await Promise.all(load);
  assert.deepEqual([...new Set(statuses)], [200]);
  broker.accept(basic('third'));
  assert.equal(await call('b1'), 200);
});

test('a change of the catalog keeps the connections, and a reader that is behind gets the new ones', async () => {
  await using broker = await startScriptedBroker();
  await using world = await startWorld();
  const { registry, connections } = world;
  await register(registry, broker.url);
  const first = rowOf(registry, 'b1');
  const connection = await connections.of(first);
  await registry.commit([updateRow({ table: 'brokers', row: first, status: { ...first.status, catalogHash: 'x' } })]);
  const second = rowOf(registry, 'b1');
  assert.equal(await connections.of(second), connection);
  const spec = { ...second.spec, limits: { maxConnections: 1 } };
  broker.accept({ type: 'basic', username: 'admin', password: 'new' });
  await registry.commit([secret('new'), updateRow({ table: 'brokers', row: second, spec })]);
  const newest = await connections.of(rowOf(registry, 'b1'));
  assert.notEqual(newest, connection);
  assert.equal(await connections.of(first), newest);
  assert.equal((await connection.call(catalog)).status, 200, 'who holds an old connection is served by the new one');
});

test('a changed Secret is read again after a 401 of the broker', async () => {
  await using broker = await startScriptedBroker();
  await using world = await startWorld();
  const { registry, call } = world;
  await register(registry, broker.url);
  assert.equal(await call('b1'), 200);
  broker.accept({ type: 'basic', username: 'admin', password: 'new' });
  await registry.commit([secret('new')]);
  assert.equal(await call('b1'), 401);
  assert.equal(await call('b1'), 200);
});

test('a broker that was removed is not called any more', async () => {
  await using broker = await startScriptedBroker();
  await using world = await startWorld();
  const { registry, connections } = world;
  await register(registry, broker.url);
  const row = rowOf(registry, 'b1');
  const connection = await connections.of(row);
  assert.equal((await connection.call(catalog)).status, 200);
  await registry.commit([removeRow('brokers', row)]);
  await assert.rejects(connection.call(catalog), { code: 'BrokerUnreachable' });
});

test('a broker that hangs does not slow another', async () => {
  await using slow = await startScriptedBroker();
  await using quick = await startScriptedBroker();
  await using world = await startWorld();
  slow.misbehave({ type: 'hang' }, { times: Number.POSITIVE_INFINITY });
  const spec = { limits: { timeoutMs: 60_000 } };
  const target = (name: string, url: string) => ({
    name,
    spec: { ...spec, url },
    credentials: { username: 'admin', password: 'broker-password' },
  });
  await using hanging = world.connections.tryOut(target('slow', slow.url));
  await using lively = world.connections.tryOut(target('quick', quick.url));
  const stuck = Array.from({ length: 100 }, () => hanging.call(catalog).catch((thrown: unknown) => thrown));
  const answers = await Promise.all(Array.from({ length: 100 }, () => lively.call(catalog)));
  assert.ok(answers.every(({ status }) => status === 200));
  assert.equal(slow.requests.length <= 32, true);
  await hanging[Symbol.asyncDispose]();
  for (const end of await Promise.all(stuck)) assert.match((end as { code: string }).code, /^Broker/);
});

test('internal brokers are called directly, and an unknown source is unreachable', async () => {
  await using world = await startWorld();
  const { registry, call } = world;
  for (const internal of ['memory', 'unknown']) {
    const spec = { name: internal, internal };
    await registry.commit([createRow({ table: 'brokers', id: internal, tenant: globalTenant, spec })]);
  }
  assert.equal(await call('memory'), 200);
  await assert.rejects(call('unknown'), { code: 'BrokerUnreachable' });
});

test('a broker registered earlier at an address that is not allowed any more is not called', async () => {
  await using broker = await startScriptedBroker();
  for (const host of ['127.0.0.1', 'localhost']) {
    await using world = await startWorld({ ...defaultBrokerSettings, allowLoopbackBrokers: false });
    await register(world.registry, broker.url.replace('127.0.0.1', host));
    // More often than the breaker endures: it must not hide the reason.
    for (let call = 0; call < 25; call++)
      await assert.rejects(world.call('b1'), {
        code: 'BrokerAddressNotAllowed',
        message: /localhost|127.0.0.1 is at a loopback address; .* allowedBrokerAddresses/,
      });
  }
  await using allowed = await startWorld({
    ...defaultBrokerSettings,
    allowLoopbackBrokers: false,
    allowedBrokerAddresses: ['LOCALHOST'],
  });
  await register(allowed.registry, broker.url.replace('127.0.0.1', 'localhost'));
  assert.equal(await allowed.call('b1'), 200);
});
