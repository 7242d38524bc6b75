import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { SmError } from '../../../../errors.ts';
import { lastOperationOf } from '../../../../model/operations/last-operation.ts';
import { seedInstance, seedOffering, seedPlan, seedVisibility } from '../../../../test-registry.ts';
import type { SmResponse } from '../../resource-handler.ts';
import { operator, request, startTestInstances, type TestInstances, user } from './test-instance-world.ts';

const path = '/v1/service_instances';

describe('creating an instance', () => {
  let world: TestInstances;
  let count = 0;

  before(async () => {
    world = await startTestInstances();
  });
  after(() => world[Symbol.asyncDispose]());

  const body = (more: JsonObject = {}): JsonObject => ({
    name: `instance-${++count}`,
    service_plan_id: 'database-sync',
    ...more,
  });
  const instanceOf = (answer: SmResponse) => {
    assert.ok(answer.type === 'row' || answer.type === 'accepted');
    return world.registry.instances.get(answer.type === 'row' ? answer.id : answer.resourceId);
  };

  const rejected: readonly [why: string, body: JsonObject, code: string, status: number][] = [
    ['an id', { id: 'mine' }, 'BadRequest', 400],
    ['no name', { name: undefined }, 'BadRequest', 400],
    ['an empty name', { name: '' }, 'BadRequest', 400],
    ['a name that is no text', { name: 3 }, 'BadRequest', 400],
    ['a name of 256 characters', { name: 'x'.repeat(256) }, 'BadRequest', 400],
    ['no plan', { service_plan_id: undefined }, 'BadRequest', 400],
    ['an id and names of a plan', { service_offering_name: 'database', service_plan_name: 'sync' }, 'BadRequest', 400],
    ['half of the names', { service_plan_id: undefined, service_plan_name: 'sync' }, 'BadRequest', 400],
    ['another platform', { platform_id: 'cf' }, 'InvalidTransfer', 400],
    ['shared', { shared: true }, 'BadRequest', 400],
    ['a referenced instance at the top', { referenced_instance_id: 'i' }, 'BadRequest', 400],
    ['parameters that are no object', { parameters: [1] }, 'BadRequest', 400],
    ['maintenance info that is no object', { maintenance_info: 'x' }, 'BadRequest', 400],
    ['labels that are no map', { labels: [] }, 'BadRequest', 400],
    ['an unknown plan', { service_plan_id: 'nothing' }, 'NotFound', 404],
    [
      'an unknown offering name',
      { service_plan_id: undefined, service_offering_name: 'x', service_plan_name: 'y' },
      'NotFound',
      404,
    ],
  ];
  for (const [offering, plan, why] of [
    ['databse', 'sync', 'there is no offering "databse"; did you mean "database"?'],
    ['database', 'sink', 'the offering "database" has no plan "sink"; did you mean "sync"?'],
    ['x'.repeat(5000), 'sync', `there is no offering "${'x'.repeat(5000)}"`],
  ] as const) {
    test(`says what is meant instead of ${offering.slice(0, 10)}/${plan}`, async () => {
      const named = { service_plan_id: undefined, service_offering_name: offering, service_plan_name: plan };
      await assert.rejects(() => world.instances.create(request(body(named))), {
        message: `could not find such service plan: ${why}`,
      });
    });
  }

  for (const [why, more, code, status] of rejected) {
    test(`rejects ${why}`, async () => {
      const before = world.registry.operations.size;
      await assert.rejects(
        () => world.instances.create(request(body(more))),
        error => error instanceof SmError && error.code === code && error.status === status,
      );
      assert.equal(world.registry.operations.size, before, 'nothing is written');
    });
  }

  test('waits for a broker that answers at once and shows the instance', async () => {
    const parameters = { size: 3 };
    const answer = await world.instances.create(request(body({ parameters, labels: { env: ['dev'] }, usable: true })));
    const instance = instanceOf(answer);
    assert.equal(answer.type, 'row');
    assert.ok(instance?.status.ready === true && instance.status.usable === true);
    assert.deepEqual(instance.spec.labels, { env: ['dev'] });
    assert.deepEqual(world.broker.instances.get(instance.id)?.parameters, parameters);
    const operation = lastOperationOf(world.registry, path, instance.id);
    assert.equal(operation?.status.state, 'succeeded');
    assert.equal(operation.status.user, undefined);
    const secret = `instances-${operation.id}-parameters`;
    assert.equal(await world.registry.readSecret('service-manager', secret), undefined);
    assert.ok(!JSON.stringify(instance.spec).includes('size'), 'parameters are not kept in the row');
  });

  test('sends the originating identity to the broker', async () => {
    const instance = instanceOf(await world.instances.create(request(body())));
    const seen = world.broker.requests.find(({ url, method }) => method === 'PUT' && url.includes(instance?.id ?? '-'));
    const [platform, identity = ''] = String(seen?.headers['x-broker-api-originating-identity']).split(' ');
    assert.equal(platform, 'service-manager');
    assert.deepEqual(JSON.parse(Buffer.from(identity, 'base64').toString()), { username: 'admin' });
  });

  test('without a mode sends the caller away when the broker takes time, and the row is there', async () => {
    const answer = await world.instances.create(request(body({ service_plan_id: 'database-slow' })));
    assert.equal(answer.type, 'accepted');
    const instance = instanceOf(answer);
    assert.equal(instance?.status.ready, false);
    world.broker.finish(instance.id);
    await world.registry.instances.until(instance.id, row => row?.status.ready === true, AbortSignal.timeout(10_000));
  });

  test('async=true answers before the broker does, async=false waits for the end', async () => {
    const inBackground = await world.instances.create(request(body(), { mode: 'async' }));
    assert.equal(inBackground.type, 'accepted');
    assert.ok(instanceOf(inBackground) !== undefined, 'the row is there at once');
    const plan = { service_plan_id: 'database-async' };
    const waited = await world.instances.create(request(body(plan), { mode: 'sync' }));
    assert.equal(waited.type, 'row');
    assert.equal(instanceOf(waited)?.status.ready, true);
  });

  test('a synchronous failure leaves no row and returns the error of the broker', async () => {
    for (const mode of ['sync', 'undefined'] as const) {
      world.broker.misbehave(
        { type: 'answer', status: 400, body: { error: 'No', description: 'too large' } },
        { method: 'PUT' },
      );
      const name = `waited-${++count}`;
      await assert.rejects(
        () => world.instances.create(request(body({ name }), { mode })),
        error =>
          error instanceof SmError &&
          /scripted failed with: too large/.test(error.message) &&
          error.facts.brokerStatus === 400,
      );
      assert.equal(world.registry.instances.count('name', name), 0);
    }
  });

  test('a failure in the background leaves the row, not ready, with its operation', async () => {
    const { registry, broker } = world;
    broker.misbehave({ type: 'answer', status: 400, body: { description: 'no' } }, { method: 'PUT' });
    const answer = await world.instances.create(request(body(), { mode: 'async' }));
    assert.ok(answer.type === 'accepted');
    const { operationId } = answer;
    await registry.operations.until(operationId, row => row?.status.state === 'failed', AbortSignal.timeout(10_000));
    assert.equal(instanceOf(answer)?.status.ready, false);
  });

  test('after a 202 the row exists even if the creation fails', async () => {
    const answer = await world.instances.create(request(body({ service_plan_id: 'database-slow' })));
    assert.ok(answer.type === 'accepted');
    assert.equal(world.registry.operations.get(answer.operationId)?.spec.discardsFailedCreate, undefined);
  });

  test('rejects a name that the tenant has already, and says whose it is', async () => {
    const first = instanceOf(await world.instances.create(request(body({ name: 'taken' }))));
    await assert.rejects(
      () => world.instances.create(request(body({ name: 'taken' }))),
      error => error instanceof SmError && error.status === 409 && error.facts.ids?.[0] === first?.id,
    );
    const elsewhere = await world.instances.create(request(body({ name: 'taken' }), { tenant: 'acme' }));
    assert.equal(instanceOf(elsewhere)?.tenant, 'acme');
  });

  test('finds a plan by names, and lists the candidates when they are ambiguous', async () => {
    const names = { service_plan_id: undefined, service_offering_name: 'database', service_plan_name: 'sync' };
    assert.equal(instanceOf(await world.instances.create(request(body(names))))?.spec.planId, 'database-sync');
    await seedOffering(world.registry, { id: 'twin', spec: { name: 'database', brokerId: 'other' } });
    await seedPlan(world.registry, { id: 'twin-sync', spec: { name: 'sync', offeringId: 'twin', brokerId: 'other' } });
    await assert.rejects(
      () => world.instances.create(request(body(names))),
      error =>
        error instanceof SmError && error.status === 400 && error.facts.ids?.join() === 'database-sync,twin-sync',
    );
    const exact = await world.instances.create(request(body({ ...names, broker_name: 'scripted' })));
    assert.equal(instanceOf(exact)?.spec.planId, 'database-sync');
  });

  test('a user needs a visibility, the operator does not', async () => {
    const asUser = (plan: string) =>
      world.instances.create(request(body({ service_plan_id: plan }), { caller: user, tenant: 'acme' }));
    await assert.rejects(() => asUser('database-sync'), { code: 'NotFound' });
    await seedVisibility(world.registry, { spec: { planId: 'database-sync', platformId: 'cf' } });
    await assert.rejects(() => asUser('database-sync'), { code: 'NotFound' });
    const labels = { tenant: ['acme'] };
    await seedVisibility(world.registry, { spec: { planId: 'database-sync', platformId: 'service-manager', labels } });
    assert.equal(instanceOf(await asUser('database-sync'))?.tenant, 'acme');
    await seedVisibility(world.registry, {
      spec: { planId: 'queue-sync', platformId: 'service-manager', labels: { tenant: ['others'] } },
    });
    await assert.rejects(() => asUser('queue-sync'), { code: 'NotFound' });
    // A tenant cannot grant itself the plan of another tenant.
    await seedVisibility(world.registry, { tenant: 'acme', spec: { planId: 'queue-async' } });
    await assert.rejects(() => asUser('queue-async'), { code: 'NotFound' });
  });

  test('a reference is complete at once and never reaches the broker', async () => {
    const { registry, broker } = world;
    await seedInstance(registry, { id: 'shared-db', spec: { planId: 'database-shared', shared: true } });
    const calls = broker.requests.length;
    const parameters = { referenced_instance_id: 'shared-db' };
    const answer = await world.instances.create(request(body({ service_plan_id: 'reference', parameters })));
    const reference = instanceOf(answer);
    assert.equal(answer.type, 'row');
    assert.ok(reference?.status.ready === true && reference.status.usable === true);
    assert.equal(reference.spec.referencedInstanceId, 'shared-db');
    assert.equal(lastOperationOf(registry, path, reference.id)?.status.state, 'succeeded');
    assert.equal(broker.requests.length, calls);
    const background = await world.instances.create(
      request(body({ service_plan_id: 'reference', parameters }), { mode: 'async', caller: operator }),
    );
    assert.equal(background.type, 'accepted');
  });
});
