import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { InternalBroker, InternalInstance } from '@chandlery/brokers/kinds';
import { eventually } from '@chandlery/testing';
import type { OrderRow, ServiceRow } from '../../registry/orders-registry.ts';
import { type OrderWorld, startOrderWorld } from '../../test-order-world.ts';
import { createOrderOfferings } from './create-order-offerings.ts';

const landscape = 'service-manager';

describe('services as offerings', () => {
  let world: OrderWorld;
  let broker: InternalBroker;
  let service: ServiceRow;

  before(async () => {
    world = await startOrderWorld();
    broker = createOrderOfferings(world.deps);
    service = await world.service([
      { name: 'who', type: 'string' },
      { name: 'size', type: 'int', default: '3' },
      { name: 'fixed', type: 'string', default: 'x', constant: true },
    ]);
  });
  after(() => world[Symbol.asyncDispose]());

  const instanceOf = (id: string, parameters = {}): InternalInstance => ({
    id,
    serviceId: service.id,
    planId: `${service.id}.default`,
    parameters,
    caller: { tenant: landscape, platformId: 'k8s', context: { instance_name: 'hi' }, username: 'alice' },
  });
  const orderOf = (id: string): OrderRow => world.deps.registry.orders.get(id) ?? assert.fail();

  test('have one plan with the parameters that an order can set', async () => {
    const [offering] = await broker.catalog(landscape);
    assert.equal(offering?.id, service.id);
    assert.deepEqual(offering?.plans[0]?.parameters, {
      type: 'object',
      additionalProperties: false,
      properties: { who: { type: 'string' }, size: { type: 'integer' } },
      required: ['who'],
    });
    assert.deepEqual(broker.tenants?.(), [landscape]);
    assert.deepEqual(await broker.catalog('acme'), []);
  });

  test('are ordered once, by whom the platform says', async () => {
    const id = world.deps.registry.newId();
    const order = instanceOf(id, { who: 'you', size: 4 });
    assert.deepEqual(await broker.provision(order), { state: 'in progress' });
    assert.deepEqual(await broker.provision(order), { state: 'in progress' });
    const { tenant, spec, status } = orderOf(id);
    assert.equal(tenant, 'default');
    assert.equal(status.orderer, 'alice');
    assert.equal(spec.name, 'hi');
    assert.deepEqual(spec.parameters, [
      { name: 'who', value: 'you' },
      { name: 'size', value: '4' },
    ]);
    await assert.rejects(broker.provision(instanceOf(id, { who: 'others' })), { code: 'Conflict' });
  });

  test('are rejected with the words of the REST API', async () => {
    await assert.rejects(broker.provision(instanceOf('bad', { sise: 1 })), {
      code: 'BadRequest',
      message: "the service has no parameter 'sise'",
    });
    assert.deepEqual(await broker.progress('bad'), { state: 'gone' });
  });

  test('are not offered to other tenants', async () => {
    const order = instanceOf('other', { who: 'you' });
    const caller = { ...order.caller, tenant: 'acme' };
    await assert.rejects(broker.provision({ ...order, caller }), { code: 'BadRequest' });
  });

  test('give their result to bindings when they have succeeded, and are gone when they are deprovisioned', async () => {
    const id = 'no UUID';
    await broker.provision(instanceOf(id, { who: 'you' }));
    assert.equal(await broker.bind(id, 'b', {}), 'in progress');
    const row = [...world.deps.registry.orders.all()].find(({ spec }) => spec.instance === id) ?? assert.fail();
    await world.setStatus(row, { phase: 'Succeeded', nodes: {} });
    await world.until(row, 'succeeded');
    const urn = `urn:ivcap:order:${row.id}`;
    assert.deepEqual(await broker.bind(id, 'b', {}), { order: urn, path: `/1/orders/${urn}`, status: 'succeeded' });
    assert.deepEqual(await broker.update(instanceOf(id), { parameters: { who: 'you' } }), { state: 'done' });
    await assert.rejects(broker.update(instanceOf(id), { parameters: { who: 'me' } }), { code: 'BadRequest' });
    assert.deepEqual(await broker.deprovision(id), { state: 'done' });
    assert.deepEqual(await broker.progress(id), { state: 'gone' });
    assert.equal(await broker.credentials(id, 'b'), undefined);
  });

  test('have orders of the REST API among their instances, and none of jobs', async () => {
    const seen = new Set<string>();
    const stop = broker.objects?.listen({ changed: id => seen.add(id), completed: () => undefined });
    const order = await world.order({ service, parameters: [{ name: 'who', value: 'rest' }] });
    const job = await world.order({
      service,
      parameters: [{ name: 'who', value: 'rest' }],
      job: `urn:ivcap:job:${world.deps.registry.newId()}`,
    });
    await eventually(() => seen.has(order.id));
    const object = await broker.objects?.get(order.id);
    assert.equal(object?.isProvisioned, false);
    assert.equal(object?.username, 'tester');
    assert.equal(object?.tenant, landscape);
    assert.equal(seen.has(job.id), false);
    stop?.();
  });

  test('cannot be claimed by an order that names the instance of another', async () => {
    const id = world.deps.registry.newId();
    await broker.provision(instanceOf(id, { who: 'you' }));
    const forged = await world.order({ service, parameters: [{ name: 'who', value: 'x' }], instance: id });
    assert.equal((await broker.objects?.get(forged.id))?.id, forged.id);
    assert.equal((await broker.objects?.get(id))?.id, id);
  });
});
