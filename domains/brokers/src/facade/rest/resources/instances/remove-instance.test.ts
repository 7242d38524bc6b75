import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { SmError } from '../../../../errors.ts';
import { lastOperationOf } from '../../../../model/operations/last-operation.ts';
import type { InstanceRow } from '../../../../model/rows.ts';
import { seedBinding, seedInstance, seedOperation } from '../../../../test-registry.ts';
import type { SmResponse } from '../../resource-handler.ts';
import { createRetryOperation } from '../operations/retry-operation.ts';
import { request, startTestInstances, type TestInstances, user } from './test-instance-world.ts';

const path = '/v1/service_instances';

describe('deleting an instance', () => {
  let world: TestInstances;
  let count = 0;

  before(async () => {
    world = await startTestInstances();
  });
  after(() => world[Symbol.asyncDispose]());

  const current = (id: string): InstanceRow => {
    const row = world.registry.instances.get(id);
    assert.ok(row !== undefined);
    return row;
  };
  const provisioned = async (plan = 'database-sync'): Promise<InstanceRow> => {
    const answer = await world.instances.create(
      request({ name: `removed-${++count}`, service_plan_id: plan }, { mode: 'sync' }),
    );
    assert.ok(answer.type === 'row');
    return current(answer.id);
  };
  const ended = async (answer: SmResponse) => {
    assert.ok(answer.type === 'accepted');
    return world.registry.operations.until(
      answer.operationId,
      row => row?.status.state === 'succeeded' || row?.status.state === 'failed',
      AbortSignal.timeout(10_000),
    );
  };

  test('removes it at the broker and here', async () => {
    const row = await provisioned();
    assert.deepEqual(await world.instances.remove(row, request()), { type: 'document', body: {} });
    assert.equal(world.registry.instances.get(row.id), undefined);
    assert.equal(world.broker.instances.has(row.id), false);
    assert.equal(lastOperationOf(world.registry, path, row.id)?.status.state, 'succeeded');
  });

  test('without a mode sends the caller away when the broker takes time', async () => {
    const row = await provisioned('database-async');
    const answer = await world.instances.remove(row, request());
    assert.equal((await ended(answer))?.status.state, 'succeeded');
    assert.equal(world.registry.instances.get(row.id), undefined);
  });

  test('returns the rejection of the broker and keeps the row', async () => {
    const row = await provisioned();
    world.broker.misbehave({ type: 'answer', status: 400, body: { description: 'not now' } }, { method: 'DELETE' });
    await assert.rejects(
      () => world.instances.remove(row, request()),
      error => error instanceof SmError && /not now/.test(error.message),
    );
    assert.ok(world.registry.instances.get(row.id) !== undefined);
  });

  test('is rejected while it has bindings or references, or a deletion runs', async () => {
    const { registry } = world;
    const bound = await seedInstance(registry, { spec: { planId: 'database-sync' } });
    await seedBinding(registry, { spec: { instanceId: bound.id } });
    await seedBinding(registry, { spec: { instanceId: bound.id } });
    await assert.rejects(() => world.instances.remove(bound, request()), {
      code: 'BadRequest',
      message: 'could not delete instance due to 2 existing bindings',
    });
    const shared = await seedInstance(registry, { spec: { planId: 'database-shared', shared: true } });
    await seedInstance(registry, {
      id: 'the-reference',
      spec: { planId: 'reference', referencedInstanceId: shared.id },
    });
    await assert.rejects(
      () => world.instances.remove(shared, request()),
      error => error instanceof SmError && error.status === 400 && error.facts.ids?.[0] === 'the-reference',
    );
    const busy = await seedInstance(registry, { spec: { planId: 'database-sync' } });
    const spec = { type: 'delete', resourceId: busy.id, platformId: 'cf' } as const;
    await seedOperation(registry, { spec, status: { state: 'in progress' } });
    await assert.rejects(() => world.instances.remove(busy, request()), { code: 'ConcurrentOperationInProgress' });
  });

  test('of a reference never reaches the broker', async () => {
    const spec = { planId: 'reference', referencedInstanceId: 'any' };
    const row = await seedInstance(world.registry, { spec });
    const calls = world.broker.requests.length;
    await world.instances.remove(row, request());
    assert.equal(world.registry.instances.get(row.id), undefined);
    assert.equal(world.broker.requests.length, calls);
  });

  test('of another platform is for the operator alone', async () => {
    const row = await seedInstance(world.registry, {
      tenant: 'acme',
      spec: { planId: 'database-sync', platformId: 'cf' },
    });
    const asUser = request({}, { caller: user, tenant: 'acme' });
    await assert.rejects(() => world.instances.remove(row, asUser), { code: 'Forbidden' });
    await assert.rejects(() => world.instances.remove(row, { ...asUser, isCascade: true }), { code: 'Forbidden' });
    await world.instances.remove(row, request());
    assert.equal(world.registry.instances.get(row.id), undefined);
  });

  test('force needs cascade', async () => {
    const row = await seedInstance(world.registry, { spec: { planId: 'database-sync' } });
    await assert.rejects(() => world.instances.remove(row, request({}, { isForced: true })), { code: 'BadRequest' });
  });

  test('by cascade takes bindings and references along', async () => {
    const row = await provisioned('database-shared');
    const bound = await world.bindings.create(request({ name: 'b', service_instance_id: row.id }, { mode: 'sync' }));
    assert.ok(bound.type === 'row');
    const reference = await seedInstance(world.registry, {
      spec: { planId: 'reference', referencedInstanceId: row.id },
    });
    const answer = await world.instances.remove(current(row.id), request({}, { isCascade: true }));
    assert.equal((await ended(answer))?.status.state, 'succeeded');
    for (const id of [row.id, reference.id]) assert.equal(world.registry.instances.get(id), undefined);
    assert.equal(world.registry.bindings.get(bound.id), undefined);
    assert.equal(world.broker.instances.has(row.id), false);
  });

  test('by cascade is one operation however often it is asked for', async () => {
    await using idle = await startTestInstances({ hasEngine: false });
    const instance = await seedInstance(idle.registry, { spec: { planId: 'database-sync' } });
    const cascade = request({}, { isCascade: true });
    const first = await idle.instances.remove(instance, cascade);
    const again = idle.registry.instances.get(instance.id);
    assert.ok(again !== undefined);
    assert.deepEqual(await idle.instances.remove(again, cascade), first);
    assert.equal(idle.registry.operations.size, 1);
  });

  test('by force succeeds whatever the broker responds', async () => {
    const row = await provisioned();
    world.broker.misbehave({ type: 'answer', status: 400, body: { description: 'never' } }, { method: 'DELETE' });
    const answer = await world.instances.remove(row, request({}, { isCascade: true, isForced: true }));
    assert.equal((await ended(answer))?.status.state, 'succeeded');
    assert.equal(world.registry.instances.get(row.id), undefined);
  });

  describe('trying an operation again', () => {
    const retry = (operationId: string) => {
      const operation = world.registry.operations.get(operationId);
      assert.ok(operation !== undefined);
      return createRetryOperation(world.registry)(operation, request());
    };

    test('takes up a failed deletion as the same operation', async () => {
      const row = await provisioned();
      world.broker.misbehave({ type: 'answer', status: 400, body: { description: 'not now' } }, { method: 'DELETE' });
      const answer = await world.instances.remove(row, request({}, { mode: 'async' }));
      const failed = await ended(answer);
      assert.equal(failed?.status.state, 'failed');
      const again = await retry(failed.id);
      assert.deepEqual(again, answer);
      assert.equal((await ended(again))?.status.state, 'succeeded');
      assert.equal(world.registry.operations.get(failed.id)?.status.errors, undefined);
      assert.equal(world.registry.instances.get(row.id), undefined);
    });

    test('takes up a failed creation', async () => {
      world.broker.misbehave({ type: 'answer', status: 400, body: { description: 'full' } }, { method: 'PUT' });
      const body = { name: `retried-${++count}`, service_plan_id: 'database-sync' };
      const failed = await ended(await world.instances.create(request(body, { mode: 'async' })));
      assert.equal(failed?.status.state, 'failed');
      assert.equal((await ended(await retry(failed.id)))?.status.state, 'succeeded');
      assert.equal(world.registry.instances.get(failed.spec.resourceId)?.status.ready, true);
    });

    test('is rejected for everything else', async () => {
      const { registry } = world;
      const { id } = await seedInstance(registry, { spec: { planId: 'database-sync' } });
      const failed = { state: 'failed' } as const;
      const rejected = [
        await seedOperation(registry, { spec: { resourceId: id }, status: { state: 'succeeded' } }),
        await seedOperation(registry, { spec: { resourceId: id, platformId: 'cf' }, status: failed }),
        await seedOperation(registry, {
          spec: { resourceId: id, resourceType: '/v1/service_brokers' },
          status: failed,
        }),
        await seedOperation(registry, { spec: { resourceId: id, cascadeRootId: 'root' }, status: failed }),
        await seedOperation(registry, { spec: { resourceId: 'nobody' }, status: failed }),
        await seedOperation(registry, { spec: { resourceId: id }, status: failed }),
        await seedOperation(registry, {
          spec: { resourceId: id, change: { parametersSecret: 'gone' } },
          status: failed,
        }),
      ];
      for (const operation of rejected) {
        await assert.rejects(
          () => retry(operation.id),
          error => error instanceof SmError && error.status === 409,
        );
      }
    });
  });
});
