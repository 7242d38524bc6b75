import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { SmError } from '../../../../errors.ts';
import { lastOperationOf } from '../../../../model/operations/last-operation.ts';
import type { InstanceRow } from '../../../../model/rows.ts';
import { seedInstance, seedOperation, seedPlan } from '../../../../test-registry.ts';
import { request, startTestInstances, type TestInstances } from './test-instance-world.ts';

const path = '/v1/service_instances';

describe('changing an instance', () => {
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
      request({ name: `patched-${++count}`, service_plan_id: plan }, { mode: 'sync' }),
    );
    assert.ok(answer.type === 'row');
    return current(answer.id);
  };
  const callsDuring = async (work: () => Promise<unknown>): Promise<string[]> => {
    const before = world.broker.requests.length;
    await work();
    return world.broker.requests.slice(before).map(({ method }) => method);
  };
  const patch = (row: InstanceRow, body: JsonObject, more: Parameters<typeof request>[1] = {}) =>
    world.instances.patch(row, request(body, more));

  const local: readonly [why: string, body: JsonObject, plan?: string][] = [
    ['labels', { labels: [{ op: 'add', key: 'env', values: ['prod'] }] }],
    ['nothing', {}],
    ['what it is already', { service_plan_id: 'database-sync', parameters: {} }],
    ['fields that mean nothing', { id: 'x', created_at: 'x', usable: false, context: {} }],
    ['the name where the broker asks for no context', { name: 'renamed-queue' }, 'queue-sync'],
  ];
  for (const [why, body, plan] of local) {
    test(`does not call the broker for ${why}`, async () => {
      const row = await provisioned(plan);
      assert.deepEqual(await callsDuring(() => patch(row, body)), []);
      assert.equal(lastOperationOf(world.registry, path, row.id)?.spec.type, 'update');
      assert.equal(lastOperationOf(world.registry, path, row.id)?.status.state, 'succeeded');
    });
  }

  test('label changes and a new name are kept', async () => {
    const row = await provisioned('queue-sync');
    await patch(row, { name: 'kept-name', labels: [{ op: 'add', key: 'env', values: ['prod'] }] });
    const { spec } = current(row.id);
    assert.deepEqual([spec.name, spec.labels], ['kept-name', { env: ['prod'] }]);
  });

  const broker: readonly [why: string, body: JsonObject][] = [
    ['another plan', { service_plan_id: 'database-shared' }],
    ['parameters', { parameters: { size: 7 } }],
    ['another maintenance version', { maintenance_info: { version: '2.0.0' } }],
    ['the name where the broker asks for every context', { name: 'renamed-database' }],
  ];
  for (const [why, body] of broker) {
    test(`calls the broker for ${why}, and only then changes the row`, async () => {
      const row = await provisioned();
      assert.deepEqual(await callsDuring(() => patch(row, body, { mode: 'sync' })), ['PATCH']);
      const { spec } = current(row.id);
      assert.equal(spec.planId, body['service_plan_id'] ?? 'database-sync');
      assert.equal(spec.name, body['name'] ?? row.spec.name);
      assert.deepEqual(spec.maintenanceInfo, body['maintenance_info']);
    });
  }

  test('a change that the broker rejects leaves the row as it was and usable', async () => {
    const row = await provisioned();
    world.broker.misbehave({ type: 'answer', status: 400, body: { description: 'no' } }, { method: 'PATCH' });
    await assert.rejects(() => patch(row, { service_plan_id: 'database-shared', name: 'x' }), { code: 'BrokerError' });
    assert.deepEqual([current(row.id).spec.planId, current(row.id).spec.name], ['database-sync', row.spec.name]);
    assert.equal(current(row.id).status.usable, true);
  });

  const rejected: readonly [why: string, body: JsonObject, code: string, status: number][] = [
    ['an unknown plan', { service_plan_id: 'nothing' }, 'NotFound', 404],
    ['a plan of another offering', { service_plan_id: 'queue-sync' }, 'BadRequest', 400],
    ['the reference plan', { service_plan_id: 'reference' }, 'BadRequest', 400],
    ['a referenced instance', { referenced_instance_id: 'x' }, 'BadRequest', 400],
    ['an empty name', { name: '' }, 'BadRequest', 400],
    ['no name', { name: null }, 'BadRequest', 400],
    ['an unknown label operation', { labels: [{ op: 'set', key: 'a', values: ['b'] }] }, 'BadRequest', 400],
    ['another platform', { platform_id: 'cf' }, 'InvalidTransfer', 400],
    ['sharing with something else', { shared: true, name: 'x' }, 'BadRequest', 400],
    ['sharing that is no truth value', { shared: 'yes' }, 'BadRequest', 400],
    ['sharing where the plan does not allow it', { shared: true }, 'BadRequest', 400],
  ];
  for (const [why, body, code, status] of rejected) {
    test(`rejects ${why}`, async () => {
      const row = await seedInstance(world.registry, { spec: { planId: 'database-sync' } });
      await assert.rejects(
        () => patch(row, body),
        error => error instanceof SmError && error.code === code && error.status === status,
      );
    });
  }

  test('rejects a name that another instance has', async () => {
    const [one, other] = [await provisioned(), await provisioned()];
    await assert.rejects(
      () => patch(one, { name: other.spec.name }),
      error => error instanceof SmError && error.status === 409 && error.facts.ids?.[0] === other.id,
    );
  });

  test('rejects an update while another runs, and after a failed creation', async () => {
    const row = await seedInstance(world.registry, { spec: { planId: 'database-sync' } });
    const spec = { type: 'update', resourceId: row.id, platformId: 'cf' } as const;
    await seedOperation(world.registry, { spec, status: { state: 'in progress' } });
    await assert.rejects(() => patch(row, {}), { code: 'ConcurrentOperationInProgress' });
    const failed = await seedInstance(world.registry, { spec: { planId: 'database-sync' } });
    await seedOperation(world.registry, { spec: { resourceId: failed.id }, status: { state: 'failed' } });
    await assert.rejects(() => patch(failed, {}), { code: 'UpdateOperationIsNotAllowed' });
  });

  test('of two changes that begin at once only one does', async () => {
    const row = await provisioned();
    const ends = await Promise.allSettled([
      patch(row, { parameters: { size: 1 } }, { mode: 'async' }),
      patch(row, { parameters: { size: 2 } }, { mode: 'async' }),
    ]);
    assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  });

  test('rejects every change when the plan was deleted', async () => {
    const row = await seedInstance(world.registry, { spec: { planId: 'gone' } });
    await assert.rejects(
      () => patch(row, {}),
      error => error instanceof SmError && error.status === 400,
    );
  });

  test('what another platform has can be labelled, nothing else', async () => {
    const row = await seedInstance(world.registry, { spec: { planId: 'database-sync', platformId: 'cf' } });
    const calls = await callsDuring(() => patch(row, { labels: [{ op: 'add', key: 'a', values: ['b'] }] }));
    assert.deepEqual(calls, []);
    assert.deepEqual(current(row.id).spec.labels, { a: ['b'] });
    await assert.rejects(() => patch(current(row.id), { name: 'x' }), { code: 'NotFound' });
    await assert.rejects(() => patch(current(row.id), { parameters: { a: 1 } }), { code: 'NotFound' });
  });

  describe('sharing', () => {
    test('begins and ends without the broker, and is no change when it is so already', async () => {
      const row = await seedInstance(world.registry, { spec: { planId: 'database-shared', platformId: 'cf' } });
      const calls = await callsDuring(async () => {
        await patch(row, { shared: true });
        await patch(current(row.id), { shared: true });
      });
      assert.deepEqual(calls, []);
      assert.equal(current(row.id).spec.shared, true);
      assert.equal(world.registry.operations.count('resourceId', row.id), 1);
      await patch(current(row.id), { shared: false });
      assert.equal(current(row.id).spec.shared, false);
    });

    test('does not work asynchronously', async () => {
      const row = await seedInstance(world.registry, { spec: { planId: 'database-shared' } });
      await assert.rejects(() => patch(row, { shared: true }, { mode: 'async' }), { code: 'InvalidRequest' });
    });

    test('cannot end while there are references, and binds the plan', async () => {
      const row = await seedInstance(world.registry, { spec: { planId: 'database-shared', shared: true } });
      await seedInstance(world.registry, { id: 'r1', spec: { planId: 'reference', referencedInstanceId: row.id } });
      await assert.rejects(
        () => patch(row, { shared: false }),
        error => error instanceof SmError && error.status === 400 && error.facts.ids?.[0] === 'r1',
      );
      await assert.rejects(() => patch(row, { service_plan_id: 'database-sync' }), { code: 'BadRequest' });
    });

    test('a reference can be renamed without its plan, and changes neither plan nor parameters', async () => {
      const spec = { planId: 'reference', referencedInstanceId: 'any' };
      const row = await seedInstance(world.registry, { spec });
      const calls = await callsDuring(() => patch(row, { name: 'new-reference-name' }));
      assert.deepEqual(calls, []);
      assert.equal(current(row.id).spec.name, 'new-reference-name');
      await assert.rejects(() => patch(current(row.id), { service_plan_id: 'database-sync' }), { code: 'BadRequest' });
      await assert.rejects(() => patch(current(row.id), { parameters: { a: 1 } }), { code: 'BadRequest' });
    });
  });

  describe('transfer', () => {
    const target = { platform_id: 'service-manager' };
    const foreign = (planId: string) => seedInstance(world.registry, { spec: { planId, platformId: 'cf' } });

    test('moves the instance here and notifies the broker', async () => {
      const own = await provisioned();
      const { registry } = world;
      // As if a platform had made it.
      await registry.commit([
        { type: 'update', table: 'instances', row: own, spec: { ...own.spec, platformId: 'cf' } },
      ]);
      const calls = await callsDuring(() => patch(current(own.id), target, { mode: 'sync' }));
      assert.deepEqual(calls, ['PATCH']);
      assert.equal(current(own.id).spec.platformId, 'service-manager');
      const seen = world.broker.requests.at(-1);
      const { context } = JSON.parse(seen?.body ?? '{}') as { context?: JsonObject };
      assert.equal(context?.['platform'], 'service-manager');
      await assert.rejects(() => patch(current(own.id), { platform_id: 'cf' }), { code: 'InvalidTransfer' });
    });

    test('is rejected to other platforms', async () => {
      const row = await foreign('database-sync');
      await assert.rejects(() => patch(row, { platform_id: 'k8s' }), { code: 'InvalidTransfer' });
    });

    test('is rejected where the plan does not support the own platform', async () => {
      const metadata = { supportedPlatforms: ['cloudfoundry'] };
      await seedPlan(world.registry, { id: 'cf-only', spec: { offeringId: 'database', metadata } });
      const row = await foreign('cf-only');
      await assert.rejects(() => patch(row, target), { code: 'UnsupportedPlatform' });
    });

    test('is rejected where the offering allows no other context', async () => {
      const row = await foreign('queue-sync');
      await assert.rejects(() => patch(row, target), { code: 'UnsupportedContextUpdate' });
    });

    test('is rejected when it is disabled', async () => {
      await using other = await startTestInstances({ settings: { enableInstanceTransfer: false }, hasEngine: false });
      const row = await seedInstance(other.registry, { spec: { planId: 'database-sync', platformId: 'cf' } });
      await assert.rejects(() => other.instances.patch(row, request(target)), { code: 'TransferDisabled' });
    });

    test('needs a name that is free here', async () => {
      const taken = await provisioned();
      const spec = { planId: 'database-sync', platformId: 'cf', name: taken.spec.name ?? '' };
      const row = await seedInstance(world.registry, { spec });
      await assert.rejects(
        () => patch(row, target),
        error => error instanceof SmError && error.status === 409,
      );
    });
  });
});
