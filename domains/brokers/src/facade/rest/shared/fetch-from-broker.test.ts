import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { SmError } from '../../../errors.ts';
import { lastOperationOf } from '../../../model/operations/last-operation.ts';
import type { InstanceRow } from '../../../model/rows.ts';
import { seedInstance, seedPlatform } from '../../../test-registry.ts';
import { request, startTestInstances, type TestInstances, user } from '../resources/instances/test-instance-world.ts';

describe('what only the broker knows', () => {
  let world: TestInstances;
  let row: InstanceRow;

  before(async () => {
    world = await startTestInstances();
    const body = { name: 'db', service_plan_id: 'database-sync', parameters: { size: 5 } };
    const answer = await world.instances.create(request(body, { mode: 'sync' }));
    assert.ok(answer.type === 'row');
    row = world.registry.instances.get(answer.id) as InstanceRow;
  });
  after(() => world[Symbol.asyncDispose]());

  describe('parameters of an instance', () => {
    test('are fetched live', async () => {
      assert.deepEqual(await world.instances.parameters(row, request()), { size: 5 });
    });

    test('of a reference say what it refers to', async () => {
      const spec = { planId: 'reference', referencedInstanceId: row.id };
      const reference = await seedInstance(world.registry, { spec });
      const calls = world.broker.requests.length;
      assert.deepEqual(await world.instances.parameters(reference, request()), { referenced_instance_id: row.id });
      assert.equal(world.broker.requests.length, calls);
    });

    test('are rejected asynchronously, and where instances cannot be fetched', async () => {
      await assert.rejects(() => world.instances.parameters(row, request({}, { mode: 'async' })), {
        code: 'InvalidRequest',
      });
      const queue = await seedInstance(world.registry, { spec: { planId: 'queue-sync' } });
      await assert.rejects(() => world.instances.parameters(queue, request()), { code: 'BadRequest' });
    });

    for (const [why, body] of [
      ['garbage', '<html>'],
      ['parameters that are no object', { parameters: [1] }],
    ] as const) {
      test(`are a failure of the broker when it answers ${why}`, async () => {
        world.broker.misbehave({ type: 'answer', status: 200, body }, { method: 'GET' });
        await assert.rejects(
          () => world.instances.parameters(row, request()),
          error => error instanceof SmError && error.status === 502,
        );
      });
    }
  });

  describe('parameters of a binding', () => {
    test('are fetched live, for a reference from the shared instance', async () => {
      const spec = { planId: 'reference', referencedInstanceId: row.id };
      const reference = await seedInstance(world.registry, { spec });
      for (const instance of [row, reference]) {
        const body = { name: 'access', service_instance_id: instance.id, parameters: { role: 'reader' } };
        const answer = await world.bindings.create(request(body, { mode: 'sync' }));
        assert.ok(answer.type === 'row');
        const binding = world.registry.bindings.get(answer.id);
        assert.ok(binding !== undefined);
        assert.deepEqual(await world.bindings.parameters(binding, request()), { role: 'reader' });
        assert.ok(world.broker.requests.at(-1)?.url.includes(`/${row.id}/service_bindings/${binding.id}`));
      }
    });
  });

  describe('import', () => {
    const importing = (body: object, more = {}) => {
      const run = world.instances.actions['import'];
      assert.ok(run !== undefined);
      return run(request({ ...body }, more));
    };
    /** The broker keeps it, we have forgotten it. */
    const forgotten = async (name: string): Promise<string> => {
      const answer = await world.instances.create(
        request({ name, service_plan_id: 'database-sync' }, { mode: 'sync' }),
      );
      assert.ok(answer.type === 'row');
      const known = world.registry.instances.get(answer.id) as InstanceRow;
      await world.registry.commit([{ type: 'remove', table: 'instances', row: known }]);
      return answer.id;
    };

    test('takes over what the broker has, without provisioning', async () => {
      const id = await forgotten('lost');
      await seedPlatform(world.registry, { id: 'cf' });
      const calls = world.broker.requests.length;
      const body = { id, name: 'found', service_plan_id: 'database-sync', platform_id: 'cf', context: { space: 's' } };
      assert.deepEqual(await importing({ ...body, labels: { a: ['b'] } }), { type: 'row', id });
      const { spec, status } = world.registry.instances.get(id) as InstanceRow;
      assert.deepEqual([spec.name, spec.platformId, spec.labels], ['found', 'cf', { a: ['b'] }]);
      assert.deepEqual([status.ready, status.usable, status.context], [true, true, { space: 's' }]);
      assert.deepEqual(
        world.broker.requests.slice(calls).map(({ method }) => method),
        ['GET'],
      );
      assert.equal(lastOperationOf(world.registry, '/v1/service_instances', id)?.status.state, 'succeeded');
    });

    test('is rejected for what the broker does not have', async () => {
      const body = { id: 'nowhere', name: 'n', service_plan_id: 'database-sync' };
      await assert.rejects(() => importing(body), { code: 'NotFound' });
    });

    test('trusts the operator where instances cannot be fetched', async () => {
      const body = { id: 'queue-1', name: 'q', service_plan_id: 'queue-sync' };
      assert.deepEqual(await importing(body), { type: 'row', id: 'queue-1' });
    });

    test('is rejected for known ids, wrong platforms, odd ids, references and users', async () => {
      const body = { id: 'new', name: 'new', service_plan_id: 'queue-sync' };
      const caller = { caller: user, tenant: 'acme' };
      const rejected: readonly [body: object, more: object, code: string][] = [
        [{ ...body, id: row.id }, {}, 'Conflict'],
        [{ ...body, name: 'db' }, {}, 'Conflict'],
        [{ ...body, platform_id: 'nowhere' }, {}, 'BadRequest'],
        [{ ...body, id: 'a/b' }, {}, 'BadRequest'],
        [{ ...body, id: undefined }, {}, 'BadRequest'],
        [{ ...body, service_plan_id: 'reference' }, {}, 'BadRequest'],
        [body, caller, 'Forbidden'],
      ];
      for (const [asked, more, code] of rejected) await assert.rejects(() => importing(asked, more), { code });
    });
  });
});
