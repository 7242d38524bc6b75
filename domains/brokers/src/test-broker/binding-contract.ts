import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { bodyOf, type Call, idsQuery, type PlanIds, provisionBody, type World } from './contract-world.ts';

/** Bindings. */
export function describeBindings(world: World, call: Call): void {
  const bindBody = ({ serviceId, planId }: PlanIds): JsonObject => ({ service_id: serviceId, plan_id: planId });

  it('binds, shows the credentials again and unbinds', async () => {
    const { syncPlan, knowsBindings } = world();
    await call('PUT', 'service_instances/b-1', provisionBody(syncPlan));
    const path = 'service_instances/b-1/service_bindings/one';
    const made = await call('PUT', path, bindBody(syncPlan));
    assert.equal(made.status, 201);
    const { credentials } = bodyOf(made);
    assert.equal(typeof credentials, 'object');
    const again = await call('PUT', path, bindBody(syncPlan));
    assert.ok(again.status === 200 || (!knowsBindings && again.status === 201));
    assert.deepEqual(bodyOf(again)['credentials'], credentials);
    assert.deepEqual(bodyOf(await call('GET', path))['credentials'], credentials);
    assert.equal((await call('DELETE', `${path}?${idsQuery(syncPlan)}`)).status, 200);
    assert.equal((await call('DELETE', `${path}?${idsQuery(syncPlan)}`)).status, 410);
    if (knowsBindings) assert.equal((await call('GET', path)).status, 404);
  });

  it('binds nothing that is not there, and only whole requests', async () => {
    const { syncPlan } = world();
    assert.equal((await call('PUT', 'service_instances/none/service_bindings/b', bindBody(syncPlan))).status, 404);
    await call('PUT', 'service_instances/b-2', provisionBody(syncPlan));
    assert.equal((await call('PUT', 'service_instances/b-2/service_bindings/b', {})).status, 400);
    assert.equal((await call('DELETE', 'service_instances/b-2/service_bindings/b')).status, 400);
  });
}
