import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { updateRow } from '../../model/rows.ts';
import { idsOf, provisionBody, startTestOsb, type TestOsb } from './test-osb.ts';

let world: TestOsb;
let referencePlan: string;
const refers = { referenced_instance_id: 'shared' };

before(async () => {
  world = await startTestOsb();
  const { registry } = world;
  referencePlan = [...registry.plans.all()].find(({ spec }) => spec.isReference === true)?.spec.catalogId ?? '';
  await world.ask('PUT', '/service_instances/shared', { platform: 'other', body: provisionBody('shared') });
  await world.ask('PUT', '/service_instances/private', { body: provisionBody('shared') });
  const row = registry.instances.get('shared');
  if (row === undefined) throw new Error('nothing to share');
  await registry.commit([updateRow({ table: 'instances', row, spec: { ...row.spec, shared: true } })]);
  world.broker.forgetRequests();
});
after(() => world[Symbol.asyncDispose]());

const refer = (id: string, parameters: JsonObject | undefined = refers) =>
  world.ask('PUT', `/service_instances/${id}`, {
    body: provisionBody('shared', { plan_id: referencePlan, parameters }),
  });
const ids = () => `service_id=database-id&plan_id=${encodeURIComponent(referencePlan)}`;

describe('a reference to a shared instance', () => {
  test('is made, repeated, fetched, renamed and deleted without the broker', async () => {
    assert.equal((await refer('made')).status, 201);
    assert.equal(world.registry.instances.get('made')?.spec.referencedInstanceId, 'shared');
    assert.equal((await refer('made')).status, 200);
    assert.equal((await refer('made', { referenced_instance_id: 'private' })).status, 409);
    const shown = await world.ask('GET', '/service_instances/made');
    assert.deepEqual(shown.body, { service_id: 'database-id', plan_id: referencePlan, parameters: refers });
    const renamed = { service_id: 'database-id', context: { platform: 'kubernetes', instance_name: 'renamed' } };
    assert.equal((await world.ask('PATCH', '/service_instances/made', { body: renamed })).status, 200);
    assert.equal(world.registry.instances.get('made')?.spec.name, 'renamed');
    assert.equal((await world.ask('GET', '/service_instances/made/last_operation')).body['state'], 'succeeded');
    assert.equal((await world.ask('DELETE', `/service_instances/made?${ids()}`)).status, 200);
    assert.equal(world.registry.instances.get('made'), undefined);
    assert.deepEqual(world.broker.requests, []);
  });

  const statuses: readonly { why: string; parameters: JsonObject | undefined; status: number }[] = [
    { why: 'no parameters', parameters: {}, status: 400 },
    { why: 'an unknown instance', parameters: { referenced_instance_id: 'nobody' }, status: 404 },
    { why: 'an instance that is not shared', parameters: { referenced_instance_id: 'private' }, status: 400 },
  ];
  for (const { why, parameters, status } of statuses) {
    test(`is rejected for ${why}: ${status}`, async () => {
      assert.equal((await refer('rejected', parameters)).status, status);
      assert.equal(world.registry.instances.get('rejected'), undefined);
    });
  }

  test('keeps its plan and parameters', async () => {
    await refer('fixed');
    for (const change of [{ plan_id: 'database-sync' }, { parameters: { a: 1 } }]) {
      const body = { service_id: 'database-id', ...change };
      assert.equal((await world.ask('PATCH', '/service_instances/fixed', { body })).status, 400);
    }
    const become = { service_id: 'database-id', plan_id: referencePlan };
    assert.equal((await world.ask('PATCH', '/service_instances/private', { body: become })).status, 400);
  });

  test('is bound at the shared instance, by its id, plan and context; the binding is its own', async () => {
    await refer('bound');
    world.broker.forgetRequests();
    const at = '/service_instances/bound/service_bindings/ref-binding';
    const body = { service_id: 'database-id', plan_id: referencePlan, context: { platform: 'kubernetes', mine: true } };
    const made = await world.ask('PUT', at, { body });
    assert.equal(made.status, 201);
    const [heard] = world.broker.requests;
    assert.equal(heard?.url, '/v2/service_instances/shared/service_bindings/ref-binding');
    const sent = JSON.parse(heard?.body ?? '') as JsonObject;
    assert.deepEqual([sent['plan_id'], sent['context']], ['database-shared', provisionBody()['context']]);
    assert.equal(world.registry.bindings.get('ref-binding')?.spec.instanceId, 'bound');
    assert.equal((await world.ask('GET', `${at}?${ids()}`)).status, 200);
    await world.ask('GET', `${at}/last_operation?${ids()}&operation=op`);
    const polled = world.broker.requests.at(-1)?.url ?? '';
    assert.match(polled, /^\/v2\/service_instances\/shared\/service_bindings\/ref-binding\/last_operation\?/);
    assert.match(polled, /plan_id=database-shared.*operation=op/);
    assert.equal((await world.ask('DELETE', `/service_instances/bound?${ids()}`)).status, 400, 'bindings go first');
    assert.equal((await world.ask('DELETE', `${at}?${ids()}`)).status, 200);
    assert.equal(world.broker.bindings.has('ref-binding'), false);
    assert.equal((await world.ask('DELETE', `/service_instances/bound?${ids()}`)).status, 200);
  });

  test('keeps the shared instance from being deleted, and from a plan that cannot be shared', async () => {
    await refer('holding');
    const ask = { platform: 'other' };
    const deleted = await world.ask('DELETE', `/service_instances/shared?${idsOf('shared')}`, ask);
    assert.deepEqual([deleted.status, deleted.body['ids']], [400, ['fixed', 'holding']]);
    const body = { service_id: 'database-id', plan_id: 'database-sync' };
    assert.equal((await world.ask('PATCH', '/service_instances/shared', { ...ask, body })).status, 400);
  });
});

describe('rotation', () => {
  const at = (instance: string, binding: string) => `/service_instances/${instance}/service_bindings/${binding}`;
  const bind = (instance: string, binding: string, plan: string) =>
    world.ask('PUT', at(instance, binding), { body: { service_id: 'database-id', plan_id: `database-${plan}` } });
  before(async () => {
    for (const plan of ['rotatable', 'sync']) {
      await world.ask('PUT', `/service_instances/${plan}`, { body: provisionBody(plan) });
      await bind(plan, `${plan}-old`, plan);
    }
  });

  test('a successor needs no ids: the broker gets them from us', async () => {
    const body = { predecessor_binding_id: 'rotatable-old' };
    assert.equal((await world.ask('PUT', at('rotatable', 'successor'), { body })).status, 201);
    assert.deepEqual(JSON.parse(world.broker.requests.at(-1)?.body ?? ''), {
      ...body,
      service_id: 'database-id',
      plan_id: 'database-rotatable',
    });
    assert.equal(world.registry.bindings.get('successor')?.spec.predecessorId, 'rotatable-old');
  });

  test('is rejected for plans without it, and for the binding of another instance', async () => {
    const other = { predecessor_binding_id: 'sync-old' };
    assert.equal((await world.ask('PUT', at('sync', 's'), { body: other })).status, 400);
    assert.equal((await world.ask('PUT', at('rotatable', 's'), { body: other })).status, 400);
    assert.equal((await world.ask('PUT', at('rotatable', 's'), { body: {} })).status, 400);
  });
});
