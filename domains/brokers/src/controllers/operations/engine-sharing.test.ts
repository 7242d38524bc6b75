import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { enginePaths } from '../../model/operations/operation-state.ts';
import { createContextSigner } from '../../model/osb/context-signature.ts';
import { seedInstance, seedPlan } from '../../test-registry.ts';
import { order, orderBinding, orderInstance, startTestEngine } from './test-engine.ts';

test('a reference is bound, polled and unbound at the instance that it stands for, and never reaches the broker itself', async () => {
  await using world = await startTestEngine();
  const { registry, broker } = world;
  world.engine();
  const shared = await orderInstance(world, world.plan('database', 'async'));
  await world.ended(shared.operationId);
  const { offeringId, brokerId } = world.plan('database', 'async').spec;
  const plan = await seedPlan(registry, {
    spec: { offeringId, brokerId, name: 'reference-instance', isReference: true },
  });
  const reference = await seedInstance(registry, { spec: { planId: plan.id, referencedInstanceId: shared.id } });
  const bound = await orderBinding(world, reference.id);
  assert.equal((await world.ended(bound.operationId)).status.state, 'succeeded');
  assert.equal(broker.bindings.get(bound.id)?.instanceId, shared.id);
  const unbind = await order(world, { type: 'delete', resourceType: enginePaths.bindings, resourceId: bound.id });
  assert.equal((await world.ended(unbind)).status.state, 'succeeded');
  const deletion = await order(world, { type: 'delete', resourceId: reference.id });
  assert.equal((await world.ended(deletion)).status.state, 'succeeded');
  assert.equal(registry.instances.get(reference.id), undefined);
  assert.deepEqual(
    broker.requests.filter(({ url }) => url.includes(reference.id)),
    [],
  );
  assert.equal(broker.instances.has(shared.id), true);
});

test('a transfer sends the new context to the broker and then moves the row', async () => {
  await using world = await startTestEngine();
  const { registry, broker } = world;
  world.engine();
  const { id, operationId } = await orderInstance(world, world.plan('database', 'sync'));
  await world.ended(operationId);
  const row = registry.instances.get(id);
  assert.ok(row);
  await registry.commit([{ type: 'update', table: 'instances', row, spec: { ...row.spec, platformId: 'cf-1' } }]);
  broker.forgetRequests();
  const transfer = await order(world, { type: 'update', resourceId: id, change: { platformId: 'service-manager' } });
  assert.equal((await world.ended(transfer)).status.state, 'succeeded');
  assert.equal(registry.instances.get(id)?.spec.platformId, 'service-manager');
  const [patch] = broker.requests;
  assert.equal(
    (JSON.parse(patch?.body ?? '{}') as { context: { platform: string } }).context.platform,
    'service-manager',
  );
});

test('contexts are signed when there is a key, and kept without the signature', async () => {
  await using world = await startTestEngine();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const contextPrivateKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  world.engine({ signer: createContextSigner({ contextPrivateKey }) });
  const { id, operationId } = await orderInstance(world, world.plan('database', 'sync'));
  await world.ended(operationId);
  assert.equal(typeof world.broker.instances.get(id)?.context['signature'], 'string');
  assert.equal(world.broker.instances.get(id)?.context['service_instance_id'], id);
  assert.equal(world.registry.instances.get(id)?.status.context?.['signature'], undefined);
});

test('a successor names the binding that it follows', async () => {
  await using world = await startTestEngine();
  world.engine();
  const instance = await orderInstance(world, world.plan('database', 'rotatable'));
  await world.ended(instance.operationId);
  const first = await orderBinding(world, instance.id);
  await world.ended(first.operationId);
  const second = await orderBinding(world, instance.id, { spec: { predecessorId: first.id } });
  assert.equal((await world.ended(second.operationId)).status.state, 'succeeded');
  assert.equal(world.broker.bindings.get(second.id)?.predecessorId, first.id);
  assert.equal(world.broker.bindings.has(first.id), true);
});

test('what a broker wrote into an unreadable binding is not quoted', async () => {
  await using world = await startTestEngine();
  world.engine();
  const instance = await orderInstance(world, world.plan('database', 'sync'));
  await world.ended(instance.operationId);
  world.broker.misbehave(
    { type: 'answer', status: 201, body: '{"credentials":{"password":"hunter2"' },
    { method: 'PUT' },
  );
  const { operationId } = await orderBinding(world, instance.id);
  assert.doesNotMatch(JSON.stringify((await world.ended(operationId)).status), /hunter2/);
});
