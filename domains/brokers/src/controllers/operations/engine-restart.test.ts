import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { enginePaths } from '../../model/operations/operation-state.ts';
import { order, orderBinding, orderInstance, startTestEngine, type TestEngine } from './test-engine.ts';

const isPolled = (world: TestEngine, id: string) =>
  world.registry.operations.until(id, row => row?.status.reschedule === true, AbortSignal.timeout(10_000));

/** Ends the operation of an instance at the broker, if there is one. */
function nudge({ broker }: TestEngine, id: string): void {
  if (broker.instances.get(id)?.operation?.state === 'in progress') broker.finish(id);
}

test('an engine that takes over continues polling where the other was killed', async () => {
  await using world = await startTestEngine();
  const first = world.engine();
  const { id, operationId } = await orderInstance(world, world.plan('database', 'slow'));
  const polled = await isPolled(world, operationId);
  await first[Symbol.asyncDispose]();
  world.broker.forgetRequests();
  world.broker.finish(id);
  world.engine();
  assert.equal((await world.ended(operationId)).status.state, 'succeeded');
  assert.equal(world.registry.instances.get(id)?.status.dashboardUrl, `http://dashboard.example/${id}`);
  const [poll] = world.broker.requests;
  assert.ok(poll?.url.includes(`operation=${encodeURIComponent(polled?.status.externalId ?? '-')}`));
});

test('an engine that takes over asks the broker no earlier than it wants to be asked', async () => {
  await using world = await startTestEngine();
  const first = world.engine();
  const { broker, registry } = world;
  const wait = { 'retry-after': '3600' };
  broker.misbehave({ type: 'answer', status: 202, body: { operation: 'slowly' }, headers: wait }, { method: 'PUT' });
  const said = await orderInstance(world, world.plan('database', 'slow'));
  await isPolled(world, said.operationId);
  const later = await orderInstance(world, world.plan('database', 'slow'));
  await isPolled(world, later.operationId);
  const body = { state: 'in progress' };
  broker.misbehave({ type: 'answer', status: 200, body, headers: wait }, { path: /last_operation/ });
  await registry.operations.until(
    later.operationId,
    row => row?.status.nextAttemptAt !== undefined,
    AbortSignal.timeout(10_000),
  );
  await first[Symbol.asyncDispose]();
  for (const { operationId } of [said, later]) {
    const { nextAttemptAt = '' } = registry.operations.get(operationId)?.status ?? {};
    assert.ok(Date.parse(nextAttemptAt) > Date.now() + 3_000_000, nextAttemptAt);
  }
  broker.forgetRequests();
  world.engine();
  const { operationId } = await orderInstance(world, world.plan('database', 'sync'));
  await world.ended(operationId);
  assert.deepEqual(
    broker.requests.filter(({ method }) => method === 'GET'),
    [],
  );
});

test('an engine that takes over repeats a request whose answer was lost, and nothing is made twice', async () => {
  await using world = await startTestEngine();
  const first = world.engine();
  world.broker.misbehave({ type: 'hang' }, { method: 'PUT', acts: true });
  const { id, operationId } = await orderInstance(world, world.plan('database', 'sync'), { parameters: { size: 1 } });
  await eventually(() => world.broker.instances.has(id));
  await first[Symbol.asyncDispose]();
  assert.equal(world.registry.operations.get(operationId)?.status.state, 'in progress');
  world.engine();
  assert.equal((await world.ended(operationId)).status.state, 'succeeded');
  assert.equal(world.broker.instances.size, 1);
});

test('an engine that takes over cannot trust "not reached": the broker may have the instance from before', async () => {
  await using world = await startTestEngine();
  const first = world.engine();
  world.broker.misbehave({ type: 'hang' }, { method: 'PUT', acts: true });
  const { id, operationId } = await orderInstance(world, world.plan('database', 'sync'));
  await eventually(() => world.broker.instances.has(id));
  await first[Symbol.asyncDispose]();
  await world.broker.stop();
  world.engine();
  await world.registry.operations.until(
    operationId,
    row => row?.status.deletionScheduledAt !== undefined,
    AbortSignal.timeout(10_000),
  );
  await world.broker.start();
  assert.equal((await world.ended(operationId)).status.state, 'failed');
  assert.equal(world.broker.instances.has(id), false);
  assert.equal(world.registry.instances.get(id), undefined);
});

test('an engine that takes over continues mitigation', async () => {
  await using world = await startTestEngine({ settings: { mitigationIntervalMs: 50 } });
  const first = world.engine();
  world.broker.misbehave({ type: 'answer', status: 500 }, { method: 'PUT', acts: true });
  world.broker.misbehave({ type: 'answer', status: 500 }, { method: 'DELETE', times: Number.POSITIVE_INFINITY });
  const { id, operationId } = await orderInstance(world, world.plan('database', 'sync'));
  await world.registry.operations.until(
    operationId,
    row => (row?.status.attempts ?? 0) > 0,
    AbortSignal.timeout(10_000),
  );
  await first[Symbol.asyncDispose]();
  world.broker.behave();
  world.engine();
  assert.equal((await world.ended(operationId)).status.state, 'failed');
  assert.equal(world.broker.instances.has(id), false);
});

test('an engine that takes over ends an asynchronous binding and its deletion', async () => {
  await using world = await startTestEngine();
  const first = world.engine();
  const instance = await orderInstance(world, world.plan('database', 'slow'));
  await isPolled(world, instance.operationId);
  world.broker.finish(instance.id);
  await world.ended(instance.operationId);
  const bound = await orderBinding(world, instance.id);
  await isPolled(world, bound.operationId);
  await first[Symbol.asyncDispose]();
  const second = world.engine();
  world.broker.finish(bound.id);
  assert.equal((await world.ended(bound.operationId)).status.state, 'succeeded');
  const unbind = await order(world, { type: 'delete', resourceType: enginePaths.bindings, resourceId: bound.id });
  await isPolled(world, unbind);
  await second[Symbol.asyncDispose]();
  world.engine();
  world.broker.finish(bound.id);
  assert.equal((await world.ended(unbind)).status.state, 'succeeded');
  assert.equal(world.broker.bindings.size, 0);
});

test('a broker that is never through is given up after the time it has, and asked to delete', async () => {
  await using world = await startTestEngine({ settings: { maximumPollingMs: 60 } });
  world.engine();
  const { id, operationId } = await orderInstance(world, world.plan('database', 'slow'));
  await world.registry.operations.until(
    operationId,
    row => row?.status.deletionScheduledAt !== undefined,
    AbortSignal.timeout(10_000),
  );
  // The broker stays busy with the creation until the test ends it, and then with the deletion.
  await eventually(() => {
    nudge(world, id);
    return world.registry.instances.get(id) === undefined;
  });
  const { status } = await world.ended(operationId);
  assert.equal(status.state, 'failed');
  assert.match((status.errors as { description: string }).description, /did not finish the create/);
  assert.equal(world.broker.instances.has(id), false);
});

test('a failing poll does not end an operation, a poll that says "failed" does', async () => {
  await using world = await startTestEngine();
  world.engine();
  const { id, operationId } = await orderInstance(world, world.plan('database', 'slow'));
  await isPolled(world, operationId);
  world.broker.misbehave({ type: 'answer', status: 500, body: 'oops' }, { method: 'GET', times: 3 });
  world.broker.forgetRequests();
  await eventually(() => world.broker.requests.length > 4);
  assert.equal(world.registry.operations.get(operationId)?.status.state, 'in progress');
  world.broker.finish(id, 'failed', { description: 'no more disks' });
  const { status } = await eventually(() => {
    const row = world.registry.operations.get(operationId);
    if (row?.status.deletionScheduledAt !== undefined) nudge(world, id);
    return row?.status.state === 'failed' && row.status.deletionScheduledAt === undefined ? row : undefined;
  });
  assert.match((status.errors as { description: string }).description, /no more disks/);
  assert.equal(world.registry.instances.get(id), undefined);
});

test('a clean-up that never works ends with a call for a person, and the first error stays', async () => {
  await using world = await startTestEngine({ settings: { reconciliationTimeoutMs: 40 } });
  world.engine();
  world.broker.misbehave(
    { type: 'answer', status: 500, body: { description: 'first' } },
    { method: 'PUT', acts: true },
  );
  world.broker.misbehave(
    { type: 'answer', status: 500, body: { description: 'second' } },
    { method: 'DELETE', times: Number.POSITIVE_INFINITY },
  );
  const { id, operationId } = await orderInstance(world, world.plan('database', 'sync'));
  const { status } = await world.ended(operationId);
  assert.equal(status.state, 'failed');
  assert.match(status.description ?? '', /^ManualActionRequired/);
  assert.match((status.errors as { description: string }).description, /first/);
  assert.equal(world.registry.instances.get(id)?.status.ready, false);
});

test('a deletion that begins during the creation ends both', async () => {
  await using world = await startTestEngine();
  world.engine();
  const { id, operationId } = await orderInstance(world, world.plan('database', 'slow'));
  await isPolled(world, operationId);
  const deletion = await order(world, { type: 'delete', resourceId: id });
  await eventually(() => {
    nudge(world, id);
    return world.registry.instances.get(id) === undefined;
  });
  assert.equal((await world.ended(deletion)).status.state, 'succeeded');
  await world.ended(operationId);
  assert.equal(world.broker.instances.size, 0);
});

test('credentials that cannot be fetched are asked for again, and given up with an unbind', async () => {
  await using world = await startTestEngine();
  world.engine();
  const instance = await orderInstance(world, world.plan('database', 'async'));
  await world.ended(instance.operationId);
  world.broker.misbehave(
    { type: 'answer', status: 500 },
    { method: 'GET', path: /service_bindings\/[^/]+(\?|$)/, times: 2 },
  );
  const good = await orderBinding(world, instance.id);
  assert.equal((await world.ended(good.operationId)).status.state, 'succeeded');
  world.broker.misbehave(
    { type: 'answer', status: 500 },
    { method: 'GET', path: /service_bindings\/[^/]+(\?|$)/, times: Number.POSITIVE_INFINITY },
  );
  const bad = await orderBinding(world, instance.id);
  assert.equal((await world.ended(bad.operationId)).status.state, 'failed');
  assert.equal(world.broker.bindings.has(bad.id), false);
});
