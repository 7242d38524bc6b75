import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { bodyOf, type Call, idsQuery, type PlanIds, provisionBody, type World } from './contract-world.ts';

/** Instances that are there at once. */
export function describeSyncInstances(world: World, call: Call): void {
  it('makes an instance, knows it again, shows it and removes it', async () => {
    const { syncPlan } = world();
    const body = provisionBody(syncPlan, { parameters: { size: 1 } });
    assert.equal((await call('PUT', 'service_instances/i-1', body)).status, 201);
    assert.equal((await call('PUT', 'service_instances/i-1', body)).status, 200);
    const other = provisionBody(syncPlan, { parameters: { size: 2 } });
    assert.equal((await call('PUT', 'service_instances/i-1', other)).status, 409);
    const shown = await call('GET', 'service_instances/i-1');
    assert.equal(shown.status, 200);
    assert.deepEqual(bodyOf(shown)['parameters'], { size: 1 });
    const removal = `service_instances/i-1?${idsQuery(syncPlan)}`;
    assert.equal((await call('DELETE', removal)).status, 200);
    assert.equal((await call('DELETE', removal)).status, 410);
    assert.equal((await call('GET', 'service_instances/i-1')).status, 404);
  });

  it('changes parameters and leaves what is not named', async () => {
    const { syncPlan } = world();
    await call('PUT', 'service_instances/i-2', provisionBody(syncPlan, { parameters: { size: 1 } }));
    const change = { service_id: syncPlan.serviceId, parameters: { size: 3 } };
    assert.equal((await call('PATCH', 'service_instances/i-2', change)).status, 200);
    assert.equal((await call('PATCH', 'service_instances/i-2', { service_id: syncPlan.serviceId })).status, 200);
    assert.deepEqual(bodyOf(await call('GET', 'service_instances/i-2'))['parameters'], { size: 3 });
  });

  const incomplete: readonly { why: string; body: (plan: PlanIds) => JsonObject }[] = [
    { why: 'no service_id', body: plan => ({ ...provisionBody(plan), service_id: undefined }) },
    { why: 'no plan_id', body: plan => ({ ...provisionBody(plan), plan_id: undefined }) },
    { why: 'an unknown plan', body: plan => provisionBody({ ...plan, planId: 'unknown' }) },
    { why: 'no organization_guid', body: plan => ({ ...provisionBody(plan), organization_guid: undefined }) },
    { why: 'no space_guid', body: plan => ({ ...provisionBody(plan), space_guid: undefined }) },
  ];
  for (const { why, body } of incomplete)
    it(`rejects an instance with ${why}`, async () => {
      assert.equal((await call('PUT', 'service_instances/i-3', body(world().syncPlan))).status, 400);
      assert.equal((await call('GET', 'service_instances/i-3')).status, 404);
    });

  it('rejects deletions without ids', async () => {
    await call('PUT', 'service_instances/i-4', provisionBody(world().syncPlan));
    assert.equal((await call('DELETE', 'service_instances/i-4')).status, 400);
    assert.equal((await call('GET', 'service_instances/i-4')).status, 200);
  });

  it('does not know the last operation of what is not there', async () => {
    assert.equal((await call('GET', 'service_instances/none/last_operation')).status, 404);
  });
}

/** Instances that take their time. */
export function describeSlowInstances(world: World, call: Call): void {
  const later = '?accepts_incomplete=true';

  it('rejects an asynchronous operation unless it is accepted', async () => {
    const answer = await call('PUT', 'service_instances/s-1', provisionBody(world().slowPlan));
    assert.deepEqual([answer.status, bodyOf(answer)['error']], [422, 'AsyncRequired']);
    assert.equal((await call('GET', 'service_instances/s-1')).status, 404);
  });

  it('says the same of an instance that it makes as often as it is asked', async () => {
    const { slowPlan, finish } = world();
    const path = `service_instances/s-2`;
    const first = await call('PUT', path + later, provisionBody(slowPlan));
    assert.equal(first.status, 202);
    const { operation } = bodyOf(first) as { operation: string };
    const second = await call('PUT', path + later, provisionBody(slowPlan));
    assert.deepEqual([second.status, bodyOf(second)['operation']], [202, operation]);
    assert.equal((await call('PUT', path + later, provisionBody(slowPlan, { parameters: { a: 1 } }))).status, 409);
    assert.ok([404, 422].includes((await call('GET', path)).status), 'it is not shown before it is made');
    const poll = `${path}/last_operation?${idsQuery(slowPlan)}&operation=${encodeURIComponent(operation)}`;
    assert.equal(bodyOf(await call('GET', poll))['state'], 'in progress');
    await finish('s-2');
    assert.equal(bodyOf(await call('GET', poll))['state'], 'succeeded');
    assert.equal((await call('GET', path)).status, 200);
    assert.equal((await call('PUT', path + later, provisionBody(slowPlan))).status, 200);
  });

  it('rejects another change while one is under way', async () => {
    const { slowPlan, finish } = world();
    await call('PUT', `service_instances/s-3${later}`, provisionBody(slowPlan));
    await finish('s-3');
    const change = (size: number) => ({ service_id: slowPlan.serviceId, parameters: { size } });
    assert.equal((await call('PATCH', `service_instances/s-3${later}`, change(1))).status, 202);
    const other = await call('PATCH', `service_instances/s-3${later}`, change(2));
    assert.deepEqual([other.status, bodyOf(other)['error']], [422, 'ConcurrencyError']);
    assert.equal((await call('PATCH', `service_instances/s-3${later}`, change(1))).status, 202);
    await finish('s-3');
    assert.deepEqual(bodyOf(await call('GET', 'service_instances/s-3'))['parameters'], { size: 1 });
  });

  it('removes it asynchronously, and reports the end', async () => {
    const { slowPlan, finish } = world();
    await call('PUT', `service_instances/s-4${later}`, provisionBody(slowPlan));
    await finish('s-4');
    const removal = `service_instances/s-4${later}&${idsQuery(slowPlan)}`;
    const first = await call('DELETE', removal);
    assert.equal(first.status, 202);
    const { operation } = bodyOf(first) as { operation: string };
    const second = await call('DELETE', removal);
    assert.deepEqual([second.status, bodyOf(second)['operation']], [202, operation]);
    const poll = `service_instances/s-4/last_operation?operation=${encodeURIComponent(operation)}`;
    assert.equal(bodyOf(await call('GET', poll))['state'], 'in progress');
    await finish('s-4');
    const end = await call('GET', poll);
    assert.ok(end.status === 410 || bodyOf(end)['state'] === 'succeeded');
    assert.equal((await call('DELETE', removal)).status, 410);
  });
}
