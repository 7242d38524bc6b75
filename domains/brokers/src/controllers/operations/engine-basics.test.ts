import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enginePaths } from '../../model/operations/operation-state.ts';
import type { OperationRow } from '../../model/rows.ts';
import { order, orderBinding, orderInstance, startTestEngine, tenant } from './test-engine.ts';

for (const name of ['sync', 'async']) {
  test(`an instance of a plan that works ${name} lives from its creation to its deletion`, async () => {
    await using world = await startTestEngine();
    const { registry, broker } = world;
    world.engine();
    const created = await orderInstance(world, world.plan('database', name), { parameters: { size: 3 } });
    const operation = await world.ended(created.operationId);
    assert.deepEqual([operation.status.state, operation.status.errors], ['succeeded', undefined]);
    assert.equal(operation.status.user, undefined);
    const row = registry.instances.get(created.id);
    assert.equal(row?.status.ready, true);
    assert.equal(row.status.usable, true);
    assert.equal(row.status.dashboardUrl, `http://dashboard.example/${created.id}`);
    assert.deepEqual(broker.instances.get(created.id)?.parameters, { size: 3 });
    const secret = (operation.spec.change as { parametersSecret: string }).parametersSecret;
    assert.equal(await registry.readSecret(tenant, secret), undefined);

    const changeId = await order(world, {
      type: 'update',
      resourceId: created.id,
      change: { planId: world.plan('database', 'shared').id, name: 'renamed' },
      parameters: { size: 5 },
    });
    assert.equal((await world.ended(changeId)).status.state, 'succeeded');
    const changed = registry.instances.get(created.id);
    assert.equal(changed?.spec.name, 'renamed');
    assert.equal(changed.status.planId, world.plan('database', 'shared').id);
    assert.equal(broker.instances.get(created.id)?.planId, 'database-shared');
    assert.equal(changed.status.observedGeneration, changed.generation);

    const deletion = await order(world, { type: 'delete', resourceId: created.id });
    assert.equal((await world.ended(deletion)).status.state, 'succeeded');
    assert.equal(registry.instances.get(created.id), undefined);
    assert.equal(broker.instances.size, 0);
  });

  test(`the credentials of a binding of a plan that works ${name} come into a Secret and go with it`, async () => {
    await using world = await startTestEngine();
    const { registry, broker } = world;
    world.engine();
    const instance = await orderInstance(world, world.plan('database', name));
    await world.ended(instance.operationId);
    const bound = await orderBinding(world, instance.id, { parameters: { role: 'reader' } });
    assert.equal((await world.ended(bound.operationId)).status.state, 'succeeded');
    const row = registry.bindings.get(bound.id);
    assert.equal(row?.status.credentialsSecret, `binding-${bound.id}`);
    const secret = await registry.readSecret(tenant, `binding-${bound.id}`);
    const credentials = broker.bindings.get(bound.id)?.credentials;
    assert.deepEqual(JSON.parse(secret?.['credentials.json'] ?? ''), credentials);
    for (const [key, value] of Object.entries(credentials ?? {})) assert.equal(secret?.[key], value);

    const unbind = await order(world, { type: 'delete', resourceType: enginePaths.bindings, resourceId: bound.id });
    assert.equal((await world.ended(unbind)).status.state, 'succeeded');
    assert.equal(registry.bindings.get(bound.id), undefined);
    assert.equal(await registry.readSecret(tenant, `binding-${bound.id}`), undefined);
    assert.equal(broker.bindings.size, 0);
  });
}

test('an operation says what the broker says of its progress, and no more of it once it has ended', async () => {
  await using world = await startTestEngine();
  const { broker, registry } = world;
  const description = 'There is no control plane "shop".';
  const body = { state: 'in progress', description };
  broker.misbehave({ type: 'answer', status: 200, body }, { path: /last_operation/ });
  world.engine();
  const { id, operationId } = await orderInstance(world, world.plan('database', 'slow'));
  const isTold = (row: OperationRow | undefined): boolean => row?.status.description === description;
  await registry.operations.until(operationId, isTold, AbortSignal.timeout(10_000));
  broker.finish(id);
  const { status } = await world.ended(operationId);
  assert.deepEqual([status.state, status.description], ['succeeded', undefined]);
});

test('a broker receives the originating identity and the context', async () => {
  await using world = await startTestEngine();
  world.engine();
  const { id, operationId } = await orderInstance(world, world.plan('database', 'sync'), { correlationId: 'c-1' });
  await world.ended(operationId);
  const request = world.broker.requests.find(({ method }) => method === 'PUT');
  const identity = Buffer.from('{"username":"ann"}').toString('base64');
  assert.equal(request?.headers['x-broker-api-originating-identity'], `service-manager ${identity}`);
  assert.equal(request.headers['x-correlation-id'], 'c-1');
  assert.match(request.url, /accepts_incomplete=true/);
  const { context } = JSON.parse(request.body) as { context: object };
  assert.deepEqual(context, { platform: 'service-manager', instance_name: `instance-${id}`, tenant });
});
