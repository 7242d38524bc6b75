import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { SmError } from '../../../../errors.ts';
import { lastOperationOf } from '../../../../model/operations/last-operation.ts';
import type { BindingRow, InstanceRow } from '../../../../model/rows.ts';
import { seedBinding, seedBroker, seedInstance, seedOperation } from '../../../../test-registry.ts';
import { operator, request, startTestInstances, type TestInstances, user } from '../instances/test-instance-world.ts';

const path = '/v1/service_bindings';

describe('bindings', () => {
  let world: TestInstances;
  let count = 0;

  before(async () => {
    world = await startTestInstances();
  });
  after(() => world[Symbol.asyncDispose]());

  const provisioned = async (plan = 'database-sync'): Promise<InstanceRow> => {
    const body = { name: `bound-${++count}`, service_plan_id: plan };
    const answer = await world.instances.create(request(body, { mode: 'sync' }));
    assert.ok(answer.type === 'row');
    return world.registry.instances.get(answer.id) as InstanceRow;
  };
  const bind = (instance: InstanceRow, more: JsonObject = {}, options: Parameters<typeof request>[1] = {}) =>
    world.bindings.create(request({ name: `binding-${++count}`, service_instance_id: instance.id, ...more }, options));
  const bound = async (instance: InstanceRow, more: JsonObject = {}): Promise<BindingRow> => {
    const answer = await bind(instance, more, { mode: 'sync' });
    assert.ok(answer.type === 'row');
    return world.registry.bindings.get(answer.id) as BindingRow;
  };

  test('are made at the broker, and their credentials shown one at a time, never to platforms', async () => {
    const binding = await bound(await provisioned(), { labels: { team: ['a'] }, bind_resource: { app_guid: 'app' } });
    const shown = await world.bindings.view(binding, { caller: operator, isSingle: true });
    const atBroker = world.broker.bindings.get(binding.id);
    assert.ok(atBroker !== undefined && shown['credentials'] !== undefined);
    assert.equal(shown['ready'], true);
    assert.deepEqual(shown['labels'], { team: ['a'] });
    assert.deepEqual(shown['bind_resource'], { app_guid: 'app' });
    const listed = await world.bindings.view(binding, { caller: operator, isSingle: false });
    assert.equal('credentials' in listed, false);
    const platform = { type: 'platform', platformId: 'cf', username: 'u', usesOldCredentials: false } as const;
    const seen = await world.bindings.view(binding, { caller: platform, isSingle: true });
    assert.equal('credentials' in seen, false);
  });

  test('of a broker that takes time send the caller away', async () => {
    const instance = await provisioned('database-async');
    const answer = await bind(instance);
    assert.ok(answer.type === 'accepted');
    const { operationId } = answer;
    await world.registry.operations.until(
      operationId,
      row => row?.status.state === 'succeeded',
      AbortSignal.timeout(10_000),
    );
    assert.equal(world.registry.bindings.get(answer.resourceId)?.status.ready, true);
  });

  test('that the broker rejects leave no row when the caller waited', async () => {
    const instance = await provisioned();
    world.broker.misbehave({ type: 'answer', status: 400, body: { description: 'no' } }, { method: 'PUT' });
    await assert.rejects(() => bind(instance), { code: 'BrokerError' });
    assert.equal(world.registry.bindings.count('instanceId', instance.id), 0);
  });

  test('of a reference are made on the shared instance', async () => {
    const shared = await provisioned('database-shared');
    const spec = { planId: 'reference', referencedInstanceId: shared.id };
    const binding = await bound(await seedInstance(world.registry, { spec }));
    const seen = world.broker.requests.find(({ method, url }) => method === 'PUT' && url.includes(binding.id));
    assert.ok(seen?.url.includes(`/v2/service_instances/${shared.id}/`));
    assert.notEqual(binding.spec.instanceId, shared.id);
  });

  describe('are rejected', () => {
    const reject = async (work: () => Promise<unknown>, code: string, status: number) =>
      assert.rejects(work, error => error instanceof SmError && error.code === code && error.status === status);

    const bodies: readonly [why: string, more: JsonObject, code: string, status: number][] = [
      ['with an id', { id: 'x' }, 'BadRequest', 400],
      ['without a name', { name: undefined }, 'BadRequest', 400],
      ['without an instance', { service_instance_id: undefined }, 'BadRequest', 400],
      ['with parameters that are no object', { parameters: 'x' }, 'BadRequest', 400],
      ['for an unknown instance', { service_instance_id: 'nothing' }, 'NotFound', 404],
    ];
    for (const [why, more, code, status] of bodies) {
      test(why, async () => {
        const instance = await seedInstance(world.registry, { spec: { planId: 'database-sync' } });
        await reject(() => bind(instance, more), code, status);
      });
    }

    test('for instances of other platforms and other tenants', async () => {
      const foreign = await seedInstance(world.registry, { spec: { planId: 'database-sync', platformId: 'cf' } });
      await reject(() => bind(foreign), 'NotFound', 404);
      const own = await seedInstance(world.registry, { spec: { planId: 'database-sync' } });
      await reject(() => bind(own, {}, { caller: user, tenant: 'acme' }), 'NotFound', 404);
    });

    test('while the instance is not ready or is being deleted', async () => {
      const { registry } = world;
      const early = await seedInstance(registry, { spec: { planId: 'database-sync' }, status: { ready: false } });
      await reject(() => bind(early), 'OperationInProgress', 422);
      const creation = { resourceId: early.id };
      await seedOperation(registry, { spec: creation, status: { state: 'failed' } });
      await assert.rejects(bind(early), { message: /is not ready: its creation failed$/ });
      const late = await seedInstance(registry, { spec: { planId: 'database-sync' } });
      const spec = { type: 'delete', resourceId: late.id, platformId: 'cf' } as const;
      await seedOperation(registry, { spec, status: { state: 'in progress' } });
      await reject(() => bind(late), 'OperationInProgress', 422);
    });

    test('where the plan cannot be bound', async () => {
      const instance = await seedInstance(world.registry, { spec: { planId: 'queue-unbindable' } });
      await reject(() => bind(instance), 'BrokerError', 400);
    });

    test('with a name that the instance has already', async () => {
      const instance = await seedInstance(world.registry, { spec: { planId: 'database-sync' } });
      await seedBinding(world.registry, { id: 'first', spec: { instanceId: instance.id, name: 'same' } });
      await assert.rejects(
        () => bind(instance, { name: 'same' }),
        error => error instanceof SmError && error.status === 409 && error.facts.ids?.[0] === 'first',
      );
    });
  });

  describe('rotation', () => {
    test('makes a successor beside the predecessor', async () => {
      const instance = await provisioned('database-rotatable');
      const old = await bound(instance);
      const successor = await bound(instance, { predecessor_binding_id: old.id });
      assert.equal(successor.spec.predecessorId, old.id);
      assert.ok(world.registry.bindings.get(old.id) !== undefined, 'both hold until the old one is deleted');
      const seen = world.broker.requests.find(({ method, url }) => method === 'PUT' && url.includes(successor.id));
      assert.equal((JSON.parse(seen?.body ?? '{}') as JsonObject)['predecessor_binding_id'], old.id);
    });

    test('is rejected where the plan does not know it, and for bindings of others', async () => {
      const plain = await seedInstance(world.registry, { spec: { planId: 'database-sync' } });
      const other = await seedBinding(world.registry, { spec: { instanceId: plain.id } });
      await assert.rejects(() => bind(plain, { predecessor_binding_id: other.id }), { code: 'BadRequest' });
      const rotatable = await seedInstance(world.registry, { spec: { planId: 'database-rotatable' } });
      await assert.rejects(() => bind(rotatable, { predecessor_binding_id: other.id }), { code: 'BadRequest' });
      await assert.rejects(() => bind(rotatable, { predecessor_binding_id: 'nobody' }), { code: 'BadRequest' });
    });
  });

  describe('changes', () => {
    test('of name and labels never reach the broker', async () => {
      const binding = await seedBinding(world.registry, { spec: { instanceId: 'any', labels: { a: ['1'] } } });
      const calls = world.broker.requests.length;
      const labels = [{ op: 'add_values', key: 'a', values: ['2'] }];
      await world.bindings.patch(binding, request({ id: binding.id, name: 'new', labels }));
      const { spec } = world.registry.bindings.get(binding.id) as BindingRow;
      assert.deepEqual([spec.name, spec.labels], ['new', { a: ['1', '2'] }]);
      assert.equal(world.broker.requests.length, calls);
      assert.equal(lastOperationOf(world.registry, path, binding.id)?.spec.type, 'update');
    });

    test('of anything else, or asynchronous ones, are rejected', async () => {
      const binding = await seedBinding(world.registry, { spec: { instanceId: 'any' } });
      const patch = (body: JsonObject, mode: 'async' | 'undefined' = 'undefined') =>
        world.bindings.patch(binding, request(body, { mode }));
      await assert.rejects(() => patch({ parameters: {} }), { code: 'BadRequest' });
      await assert.rejects(() => patch({ service_instance_id: 'x' }), { code: 'BadRequest' });
      await assert.rejects(() => patch({ name: 'x' }, 'async'), { code: 'InvalidRequest' });
    });

    test('of the name are rejected for bindings of other platforms', async () => {
      const instance = await seedInstance(world.registry, { spec: { planId: 'database-sync', platformId: 'cf' } });
      const binding = await seedBinding(world.registry, { spec: { instanceId: instance.id } });
      await assert.rejects(() => world.bindings.patch(binding, request({ name: 'x' })), { code: 'NotFound' });
    });
  });

  test('of what the landscape offers name a service account, or none', async () => {
    const { registry } = world;
    const spec = { internal: 'memory' };
    const { plans } = await seedBroker(registry, {
      spec,
      catalog: [{ id: 'm', name: 'm', plans: [{ id: 'p', name: 'p' }] }],
    });
    const landscape = await seedInstance(registry, { spec: { planId: plans[0]?.id ?? '' } });
    const misnamed = { bind_resource: { service_account: 'acme/' } };
    await assert.rejects(bind(landscape, misnamed), { code: 'BadRequest', message: /bind_resource\.service_account/ });
    await bound(await provisioned(), misnamed);
  });

  describe('deletion', () => {
    test('ends them at the broker and here, with their credentials', async () => {
      const binding = await bound(await provisioned());
      const secret = binding.status.credentialsSecret ?? '';
      assert.ok((await world.registry.readSecret(binding.tenant, secret)) !== undefined);
      assert.deepEqual(await world.bindings.remove(binding, request()), { type: 'document', body: {} });
      assert.equal(world.registry.bindings.get(binding.id), undefined);
      assert.equal(world.broker.bindings.has(binding.id), false);
      assert.equal(await world.registry.readSecret(binding.tenant, secret), undefined);
    });

    test('by cascade is asynchronous; force needs cascade', async () => {
      const binding = await bound(await provisioned());
      await assert.rejects(() => world.bindings.remove(binding, request({}, { isForced: true })), {
        code: 'BadRequest',
      });
      const answer = await world.bindings.remove(binding, request({}, { isCascade: true, isForced: true }));
      assert.equal(answer.type, 'accepted');
      await world.registry.bindings.until(binding.id, row => row === undefined, AbortSignal.timeout(10_000));
    });

    test('of what another platform made is for the operator alone', async () => {
      const spec = { planId: 'database-sync', platformId: 'cf' };
      const instance = await seedInstance(world.registry, { tenant: 'acme', spec });
      const binding = await seedBinding(world.registry, { tenant: 'acme', spec: { instanceId: instance.id } });
      const asUser = request({}, { caller: user, tenant: 'acme' });
      await assert.rejects(() => world.bindings.remove(binding, asUser), { code: 'Forbidden' });
    });
  });
});
