import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { enginePaths } from '../../model/operations/operation-state.ts';
import type { Misbehaviour } from '../../test-broker/broker-script.ts';
import { order, orderBinding, orderInstance, startTestEngine, type TestEngine } from './test-engine.ts';

/** What a broker does to one request, and what must come of it. Whether it acts matters only for what it then has. */
interface Row {
  readonly why: string;
  readonly answer: Misbehaviour;
  readonly acts: boolean;
  readonly isMitigated: boolean;
  readonly httpStatus?: number;
}

const answer = (status: number, body: unknown = {}): Misbehaviour => ({ type: 'answer', status, body });

const creations: readonly Row[] = [
  { why: '200 with nonsense', answer: answer(200, 'nonsense'), acts: false, isMitigated: false, httpStatus: 502 },
  { why: '201 with nonsense', answer: answer(201, 'nonsense'), acts: true, isMitigated: true },
  { why: '202 with nonsense', answer: answer(202, 'nonsense'), acts: true, isMitigated: true },
  {
    why: '201 with fields of the wrong type',
    answer: answer(201, { dashboard_url: 1, credentials: 1 }),
    acts: true,
    isMitigated: true,
  },
  { why: 'another 2xx', answer: answer(203), acts: true, isMitigated: true },
  { why: '408', answer: answer(408), acts: false, isMitigated: false },
  { why: 'another 4xx', answer: answer(400, { description: 'no' }), acts: false, isMitigated: false, httpStatus: 502 },
  { why: '5xx', answer: answer(500), acts: true, isMitigated: true },
  { why: 'no answer in time', answer: { type: 'hang' }, acts: true, isMitigated: true, httpStatus: 504 },
  { why: 'a broken connection', answer: { type: 'drop' }, acts: true, isMitigated: true, httpStatus: 502 },
  { why: 'half an answer', answer: { type: 'drop-mid-body' }, acts: true, isMitigated: true },
];

let world: TestEngine;
let instanceId: string;

before(async () => {
  world = await startTestEngine();
  world.engine();
  const instance = await orderInstance(world, world.plan('database', 'sync'));
  await world.ended(instance.operationId);
  instanceId = instance.id;
});

after(() => world[Symbol.asyncDispose]());

for (const { why, answer: misbehaviour, acts, isMitigated, httpStatus } of creations) {
  test(`a creation of an instance with the response ${why} ${isMitigated ? 'is' : 'is not'} cleaned up after`, async () => {
    const { broker, registry } = world;
    broker.misbehave(misbehaviour, { method: 'PUT', acts });
    broker.forgetRequests();
    const { id, operationId } = await orderInstance(world, world.plan('database', 'sync'));
    const { status } = await world.ended(operationId);
    assert.equal(status.state, 'failed');
    if (httpStatus !== undefined) assert.equal(status.httpStatus, httpStatus);
    const deletions = broker.requests.filter(({ method, url }) => method === 'DELETE' && url.includes(id));
    assert.equal(deletions.length, isMitigated ? 1 : 0);
    for (const { headers } of deletions) assert.equal(headers['x-broker-api-originating-identity'], undefined);
    assert.equal(broker.instances.has(id), false);
    assert.equal(registry.instances.get(id) === undefined, isMitigated, 'the row goes when the clean-up has worked');
    assert.equal(status.deletionScheduledAt, undefined);
  });

  test(`a creation of a binding with the response ${why} ${isMitigated ? 'is' : 'is not'} cleaned up after`, async () => {
    const { broker, registry } = world;
    broker.misbehave(misbehaviour, { method: 'PUT', acts });
    broker.forgetRequests();
    const { id, operationId } = await orderBinding(world, instanceId);
    const { status } = await world.ended(operationId);
    assert.equal(status.state, 'failed');
    const deletions = broker.requests.filter(({ method, url }) => method === 'DELETE' && url.includes(id));
    assert.equal(deletions.length, isMitigated ? 1 : 0);
    assert.equal(broker.bindings.has(id), false, 'no credentials are left behind');
    assert.equal(broker.instances.has(instanceId), true, 'the instance is not touched');
    assert.equal(registry.bindings.get(id) === undefined, isMitigated);
  });
}

const deletions: readonly (Omit<Row, 'isMitigated'> & { readonly isRepeated: boolean })[] = [
  { why: '400', answer: answer(400), acts: false, isRepeated: false },
  { why: '404', answer: answer(404), acts: false, isRepeated: false },
  { why: '410', answer: answer(410), acts: true, isRepeated: true },
  { why: '500', answer: answer(500), acts: false, isRepeated: true },
  { why: 'another 2xx', answer: answer(203), acts: false, isRepeated: true },
  { why: 'no answer in time', answer: { type: 'hang' }, acts: true, isRepeated: true },
  { why: 'a broken connection', answer: { type: 'drop' }, acts: false, isRepeated: true },
];

for (const { why, answer: misbehaviour, acts, isRepeated } of deletions) {
  test(`a deletion with the response ${why} ${isRepeated ? 'works in the end' : 'fails and leaves the row'}`, async () => {
    const { broker, registry } = world;
    const { id, operationId } = await orderInstance(world, world.plan('database', 'sync'));
    await world.ended(operationId);
    broker.misbehave(misbehaviour, { method: 'DELETE', acts });
    const { status } = await world.ended(await order(world, { type: 'delete', resourceId: id }));
    assert.equal(status.state, isRepeated ? 'succeeded' : 'failed');
    assert.equal(registry.instances.get(id) === undefined, isRepeated);
    assert.equal(broker.instances.has(id), !isRepeated);
    if (!isRepeated) assert.equal(status.httpStatus, 502);
  });
}

for (const status of [400, 500]) {
  test(`an update with the response ${status} fails, is not cleaned up after, and leaves the instance usable`, async () => {
    const { broker, registry } = world;
    broker.misbehave(answer(status), { method: 'PATCH' });
    broker.forgetRequests();
    const id = await order(world, { type: 'update', resourceId: instanceId, parameters: { size: 2 } });
    assert.equal((await world.ended(id)).status.state, 'failed');
    assert.equal(registry.instances.get(instanceId)?.status.usable, true);
    assert.deepEqual(
      broker.requests.map(({ method }) => method),
      ['PATCH'],
    );
  });
}

test('an update after which the broker calls the instance unusable says so, and the next good one mends it', async () => {
  const { broker, registry } = world;
  broker.misbehave(answer(500, { instance_usable: false, update_repeatable: false }), { method: 'PATCH' });
  const failed = await world.ended(
    await order(world, { type: 'update', resourceId: instanceId, parameters: { size: 2 } }),
  );
  assert.deepEqual((failed.status.errors as { update_repeatable: boolean }).update_repeatable, false);
  assert.equal(registry.instances.get(instanceId)?.status.usable, false);
  await world.ended(await order(world, { type: 'update', resourceId: instanceId, parameters: { size: 3 } }));
  assert.equal(registry.instances.get(instanceId)?.status.usable, true);
});

test('a change of the name alone does not reach a broker that does not ask for it', async () => {
  world.broker.forgetRequests();
  const id = await order(world, { type: 'update', resourceId: instanceId, change: { name: 'other' } });
  assert.equal((await world.ended(id)).status.state, 'succeeded');
  assert.equal(world.registry.instances.get(instanceId)?.spec.name, 'other');
  assert.equal(world.broker.requests.length, 0);
});

test('a broker that is busy with something else is asked again, and nothing is cleaned up', async () => {
  const { broker } = world;
  broker.forgetRequests();
  broker.misbehave(answer(422, { error: 'ConcurrencyError' }), { method: 'PUT', times: 2 });
  const { operationId } = await orderInstance(world, world.plan('database', 'sync'));
  assert.equal((await world.ended(operationId)).status.state, 'succeeded');
  assert.deepEqual(
    broker.requests.map(({ method }) => method),
    ['PUT', 'PUT', 'PUT'],
  );
});

test('a creation for a caller who waits leaves no row when it fails', async () => {
  const { broker, registry } = world;
  broker.misbehave(answer(400), { method: 'PUT' });
  const { id, operationId } = await orderInstance(world, world.plan('database', 'sync'), {
    discardsFailedCreate: true,
  });
  assert.equal((await world.ended(operationId)).status.state, 'failed');
  assert.equal(registry.instances.get(id), undefined);
});

test('a broker that cannot be reached fails a creation at once, without a clean-up', async () => {
  const { broker, registry } = world;
  await broker.stop();
  const { id, operationId } = await orderInstance(world, world.plan('database', 'sync'), {
    discardsFailedCreate: true,
  });
  const { status } = await world.ended(operationId);
  assert.deepEqual([status.state, status.httpStatus, status.retryable], ['failed', 502, true]);
  assert.equal(registry.instances.get(id), undefined);
  await broker.start();
});

test('a deletion works as soon as the broker is back', async () => {
  const { broker, registry } = world;
  const { id, operationId } = await orderInstance(world, world.plan('database', 'sync'));
  await world.ended(operationId);
  await broker.stop();
  const deletion = await order(world, { type: 'delete', resourceId: id });
  const failing = await registry.operations.until(
    deletion,
    row => (row?.status.attempts ?? 0) > 1,
    AbortSignal.timeout(10_000),
  );
  assert.equal(failing?.status.state, 'failed');
  await broker.start();
  assert.equal((await world.ended(deletion)).status.state, 'succeeded');
  assert.equal(registry.instances.get(id), undefined);
});

test('what is forced goes whatever the broker says, and what may be left is written down', async () => {
  const { broker, registry } = world;
  const { id, operationId } = await orderInstance(world, world.plan('database', 'sync'));
  await world.ended(operationId);
  broker.misbehave(answer(400, { description: 'not now' }), { method: 'DELETE' });
  const deletion = await order(world, { type: 'delete', resourceId: id, isForced: true });
  const { status } = await world.ended(deletion);
  assert.equal(status.state, 'succeeded');
  assert.equal(registry.instances.get(id), undefined);
  const leftovers = status.leftovers as { broker: string; resource_id: string };
  assert.deepEqual([leftovers.broker, leftovers.resource_id], ['scripted', id]);
});

test('a binding whose Secret would replace another is rejected before the broker is called', async () => {
  const { broker, registry } = world;
  await registry.commit([{ type: 'put-secret', tenant: 'service-manager', name: 'mine', data: { key: 'precious' } }]);
  broker.forgetRequests();
  const { operationId } = await orderBinding(world, instanceId, { spec: { secretName: 'mine' } });
  assert.equal((await world.ended(operationId)).status.state, 'failed');
  assert.deepEqual(await registry.readSecret('service-manager', 'mine'), { key: 'precious' });
  assert.equal(broker.requests.length, 0);
});

test('a binding of a deleted instance can still be deleted', async () => {
  const { id, operationId } = await orderBinding(world, 'never-was');
  assert.equal((await world.ended(operationId)).status.state, 'failed');
  const deletion = await order(world, { type: 'delete', resourceType: enginePaths.bindings, resourceId: id });
  assert.equal((await world.ended(deletion)).status.state, 'succeeded');
  assert.equal(world.registry.bindings.get(id), undefined);
});
