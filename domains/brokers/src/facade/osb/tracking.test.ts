import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { ownPlatformId } from '../../kinds/index.ts';
import { idsOf, provisionBody, startTestOsb, type TestOsb, type TestResponse } from './test-osb.ts';

let world: TestOsb;
before(async () => {
  world = await startTestOsb();
});
after(() => world[Symbol.asyncDispose]());

const incomplete = 'accepts_incomplete=true';
const instance = (id: string) => world.registry.instances.get(id);
const state = (id: string) => [world.last(id)?.spec.type, world.last(id)?.status.state];
const recorded = (id: string) =>
  [...world.registry.operations.by('resourceId', id)].map(({ spec, status }) => [
    spec.platformId,
    spec.type,
    status.state,
  ]);
const provision = (id: string, plan = 'sync', more: JsonObject = {}): Promise<TestResponse> =>
  world.ask('PUT', `/service_instances/${id}?${incomplete}`, { body: provisionBody(plan, more) });
const update = (id: string, body: JsonObject): Promise<TestResponse> =>
  world.ask('PATCH', `/service_instances/${id}?${incomplete}`, { body: { service_id: 'database-id', ...body } });
const remove = (id: string, plan = 'sync'): Promise<TestResponse> =>
  world.ask('DELETE', `/service_instances/${id}?${idsOf(plan)}&${incomplete}`);
const poll = (id: string, query = ''): Promise<TestResponse> =>
  world.ask('GET', `/service_instances/${id}/last_operation${query}`);

/** Begins and finishes an instance of the plan whose pace the test sets. */
async function madeSlowly(id: string): Promise<void> {
  await provision(id, 'slow');
  world.broker.finish(id);
  await poll(id);
}

describe('provision', () => {
  test('201: the instance is ready, its operation has succeeded, and both belong to the platform', async () => {
    await provision('made', 'sync', { context: { platform: 'kubernetes', instance_name: 'n', signature: 'forged' } });
    const row = instance('made');
    assert.equal(row?.tenant, 'service-manager');
    assert.deepEqual(row?.spec, { name: 'n', planId: world.plan('database-sync').id, platformId: 'k8s' });
    assert.deepEqual([row?.status.ready, row?.status.usable], [true, true]);
    assert.deepEqual(row?.status.context, { platform: 'kubernetes', instance_name: 'n' });
    assert.equal(row?.status.dashboardUrl, 'http://dashboard.example/made');
    assert.deepEqual(state('made'), ['create', 'succeeded']);
    assert.equal(world.last('made')?.spec.platformId, 'k8s');
  });

  test('200 of a broker that had it before us: the same', async () => {
    world.broker.misbehave({ type: 'answer', status: 200, body: {} }, { method: 'PUT' });
    assert.equal((await provision('had', 'sync', { context: undefined })).status, 200);
    assert.equal(instance('had')?.spec.name, 'had');
    assert.deepEqual(state('had'), ['create', 'succeeded']);
  });

  test("202: not ready, in progress under the broker's name for it", async () => {
    const { body } = await provision('begun', 'slow');
    assert.equal(instance('begun')?.status.ready, false);
    assert.deepEqual(state('begun'), ['create', 'in progress']);
    assert.equal(world.last('begun')?.status.externalId, body['operation']);
    assert.equal(world.last('begun')?.status.reschedule, undefined);
  });

  test('anything else: nothing', async () => {
    world.broker.misbehave({ type: 'answer', status: 500, body: {} }, { method: 'PUT' });
    assert.equal((await provision('rejected')).status, 500);
    assert.equal(instance('rejected'), undefined);
    assert.equal(world.last('rejected'), undefined);
  });

  test('parameters are never kept', async () => {
    await provision('secretive', 'sync', { parameters: { password: 'hunter2' } });
    assert.doesNotMatch(JSON.stringify([instance('secretive'), world.last('secretive')]), /hunter2/);
  });

  test('by the operator: the service manager follows it, and a taken name gives way to the id', async () => {
    const ask = { platform: ownPlatformId, body: provisionBody('slow') };
    await world.ask('PUT', `/service_instances/own-1?${incomplete}`, ask);
    await world.ask('PUT', `/service_instances/own-2?${incomplete}`, ask);
    assert.equal(world.last('own-1')?.status.reschedule, true);
    assert.deepEqual([instance('own-1')?.spec.name, instance('own-2')?.spec.name], ['my-database', 'own-2']);
  });
});

describe('poll of a creation', () => {
  test('in progress: nothing changes', async () => {
    await provision('polled', 'slow');
    const before = instance('polled');
    assert.equal((await poll('polled')).body['state'], 'in progress');
    assert.equal(instance('polled'), before);
  });

  test('succeeded: ready', async () => {
    await madeSlowly('ready');
    assert.equal(instance('ready')?.status.ready, true);
    assert.deepEqual(state('ready'), ['create', 'succeeded']);
  });

  test('failed: the row goes, the operation says why', async () => {
    await provision('failed', 'slow');
    world.broker.finish('failed', 'failed', { description: 'no room' });
    assert.equal((await poll('failed')).body['state'], 'failed');
    assert.equal(instance('failed'), undefined);
    assert.deepEqual(state('failed'), ['create', 'failed']);
    assert.match(JSON.stringify(world.last('failed')?.status.errors), /Service broker scripted failed with: no room/);
  });

  test('410 says nothing about a creation', async () => {
    await provision('not-gone', 'slow');
    world.broker.misbehave({ type: 'answer', status: 410, body: {} }, { method: 'GET' });
    assert.equal((await poll('not-gone')).status, 410);
    assert.deepEqual(state('not-gone'), ['create', 'in progress']);
  });

  test('the end of another operation says nothing about ours', async () => {
    await provision('mistaken', 'slow');
    world.broker.misbehave({ type: 'answer', status: 200, body: { state: 'succeeded' } }, { method: 'GET', times: 2 });
    await poll('mistaken', '?operation=another');
    assert.deepEqual(state('mistaken'), ['create', 'in progress']);
    await poll('mistaken', `?operation=${encodeURIComponent(world.last('mistaken')?.status.externalId ?? '')}`);
    assert.deepEqual(state('mistaken'), ['create', 'succeeded']);
  });

  test('an end that cannot be recorded is not sent to the platform', async () => {
    await provision('unrecorded', 'slow');
    world.broker.finish('unrecorded');
    world.failNextCommit(new Error('the disk is full'));
    assert.equal((await poll('unrecorded')).status, 503);
    assert.equal((await poll('unrecorded')).body['state'], 'succeeded');
    assert.equal(instance('unrecorded')?.status.ready, true);
  });

  test('another process may poll', async () => {
    await provision('elsewhere', 'slow');
    world.broker.finish('elsewhere');
    const { body } = await world.askSecond('GET', '/service_instances/elsewhere/last_operation');
    assert.equal(body['state'], 'succeeded');
    const ready = await world.registry.instances.until(
      'elsewhere',
      row => row?.status.ready === true,
      AbortSignal.timeout(5000),
    );
    assert.equal(ready?.status.ready, true);
  });
});

describe('update', () => {
  test('200: plan, name, context and maintenance are those of the request', async () => {
    await provision('updated');
    const context = { platform: 'kubernetes', instance_name: 'renamed' };
    const version = { version: '2.0.0' };
    world.broker.misbehave({ type: 'answer', status: 200, body: { dashboard_url: 'http://new' } }, { method: 'PATCH' });
    const { status } = await update('updated', { plan_id: 'database-rotatable', context, maintenance_info: version });
    assert.equal(status, 200);
    const row = instance('updated');
    assert.equal(row?.spec.planId, world.plan('database-rotatable').id);
    assert.deepEqual([row?.spec.name, row?.spec.maintenanceInfo], ['renamed', version]);
    assert.deepEqual([row?.status.context, row?.status.dashboardUrl], [context, 'http://new']);
    assert.equal(row?.status.observedGeneration, row?.generation);
    assert.deepEqual(state('updated'), ['update', 'succeeded']);
  });

  test('202 and then succeeded: the new values stay', async () => {
    await provision('updating');
    assert.equal((await update('updating', { plan_id: 'database-slow' })).status, 202);
    assert.deepEqual(state('updating'), ['update', 'in progress']);
    world.broker.finish('updating');
    await poll('updating');
    assert.equal(instance('updating')?.spec.planId, world.plan('database-slow').id);
    assert.equal(instance('updating')?.status.previous, undefined);
    assert.deepEqual(state('updating'), ['update', 'succeeded']);
  });

  test('202 and then failed: all is as before, and usable as the broker says', async () => {
    await provision('undone');
    const before = instance('undone');
    const context = { platform: 'kubernetes', instance_name: 'never' };
    await update('undone', { plan_id: 'database-slow', context, maintenance_info: { version: '3.0.0' } });
    assert.equal(instance('undone')?.spec.name, 'never');
    world.broker.finish('undone', 'failed', { description: 'no', instance_usable: false });
    await poll('undone');
    assert.deepEqual(instance('undone')?.spec, before?.spec);
    assert.deepEqual(instance('undone')?.status.context, before?.status.context);
    assert.equal(instance('undone')?.status.usable, false);
    assert.deepEqual(state('undone'), ['update', 'failed']);
  });

  test('a refusal changes nothing but what the broker says it has spoilt', async () => {
    await provision('spoilt');
    world.broker.misbehave({ type: 'answer', status: 422, body: { error: 'No' } }, { method: 'PATCH' });
    assert.equal((await update('spoilt', { plan_id: 'database-rotatable' })).status, 422);
    assert.equal(instance('spoilt')?.status.usable, true);
    world.broker.misbehave({ type: 'answer', status: 500, body: { instance_usable: false } }, { method: 'PATCH' });
    const rejected = await update('spoilt', { plan_id: 'database-rotatable' });
    assert.deepEqual([rejected.status, rejected.body['instance_usable']], [500, false]);
    assert.equal(instance('spoilt')?.status.usable, false);
    assert.equal(instance('spoilt')?.spec.planId, world.plan('database-sync').id);
  });

  test('the service cannot be changed', async () => {
    await provision('settled');
    const body = { service_id: 'queue-id' };
    assert.equal((await world.ask('PATCH', '/service_instances/settled', { body })).status, 400);
  });
});

describe('deprovision', () => {
  test('200: the row goes, and bindings that the platform forgot go too', async () => {
    await provision('gone');
    const body = { service_id: 'database-id', plan_id: 'database-sync' };
    await world.ask('PUT', '/service_instances/gone/service_bindings/forgotten', { body });
    assert.notEqual(world.registry.bindings.get('forgotten'), undefined);
    assert.equal((await remove('gone')).status, 200);
    assert.equal(instance('gone'), undefined);
    assert.equal(world.registry.bindings.get('forgotten'), undefined);
    assert.deepEqual(state('gone'), ['delete', 'succeeded']);
  });

  test('410: the same', async () => {
    await provision('lost');
    world.broker.misbehave({ type: 'answer', status: 410, body: {} }, { method: 'DELETE' });
    assert.equal((await remove('lost')).status, 410);
    assert.equal(instance('lost'), undefined);
    assert.deepEqual(state('lost'), ['delete', 'succeeded']);
  });

  for (const status of [200, 404, 410]) {
    test(`202 and then ${status}: the row goes at the end`, async () => {
      const id = `going-${status}`;
      await madeSlowly(id);
      assert.equal((await remove(id, 'slow')).status, 202);
      assert.notEqual(instance(id), undefined);
      assert.deepEqual(state(id), ['delete', 'in progress']);
      const body = status === 200 ? { state: 'succeeded' } : {};
      world.broker.misbehave({ type: 'answer', status, body }, { method: 'GET' });
      assert.equal((await poll(id)).status, status);
      assert.equal(instance(id), undefined);
      assert.deepEqual(state(id), ['delete', 'succeeded']);
    });
  }

  test('202 and then failed: the row stays, usable as the broker says', async () => {
    await madeSlowly('staying');
    await remove('staying', 'slow');
    world.broker.finish('staying', 'failed', { description: 'no', instance_usable: false });
    await poll('staying');
    assert.equal(instance('staying')?.status.usable, false);
    assert.deepEqual(state('staying'), ['delete', 'failed']);
    assert.equal((await remove('staying', 'slow')).status, 202, 'it may be tried again');
  });

  test('of what is still being made: the creation ends as failed', async () => {
    await provision('cancelled', 'slow');
    world.broker.misbehave({ type: 'answer', status: 200, body: {} }, { method: 'DELETE' });
    await remove('cancelled', 'slow');
    const states = [...world.registry.operations.by('resourceId', 'cancelled')].map(({ status }) => status.state);
    assert.deepEqual(states.sort(), ['failed', 'succeeded']);
    assert.equal(instance('cancelled'), undefined);
  });

  test('a refusal leaves everything', async () => {
    await provision('kept');
    world.broker.misbehave({ type: 'answer', status: 500, body: {} }, { method: 'DELETE' });
    assert.equal((await remove('kept')).status, 500);
    assert.notEqual(instance('kept'), undefined);
  });
});

describe('bindings', () => {
  const at = (id: string) => `/service_instances/bound/service_bindings/${id}`;
  const binding = (id: string) => world.registry.bindings.get(id);
  const bind = (id: string) =>
    world.ask('PUT', `${at(id)}?${incomplete}`, {
      body: { service_id: 'database-id', plan_id: 'database-slow', bind_resource: { app_guid: 'app' } },
    });
  const unbind = (id: string) => world.ask('DELETE', `${at(id)}?${idsOf('slow')}&${incomplete}`);
  const pollBinding = (id: string) => world.ask('GET', `${at(id)}/last_operation`);
  before(() => madeSlowly('bound'));

  test('201: a row without credentials', async () => {
    const response = { credentials: { password: 'hunter2' }, metadata: { expires_at: '2030-01-01T00:00:00.0Z' } };
    world.broker.misbehave({ type: 'answer', status: 201, body: response }, { method: 'PUT' });
    assert.deepEqual((await bind('bound-now')).body, response);
    assert.deepEqual(binding('bound-now')?.spec, {
      name: 'bound-now',
      instanceId: 'bound',
      bindResource: { app_guid: 'app' },
    });
    assert.deepEqual(binding('bound-now')?.status.metadata, response.metadata);
    assert.equal(binding('bound-now')?.status.ready, true);
    assert.doesNotMatch(JSON.stringify([binding('bound-now'), world.last('bound-now')]), /hunter2/);
    assert.doesNotMatch(world.logLines.join(''), /hunter2/);
    assert.deepEqual(state('bound-now'), ['create', 'succeeded']);
  });

  test('202 and then succeeded, then away again', async () => {
    assert.equal((await bind('bound-later')).status, 202);
    assert.equal(binding('bound-later')?.status.ready, false);
    world.broker.finish('bound-later');
    await pollBinding('bound-later');
    assert.equal(binding('bound-later')?.status.ready, true);
    assert.equal((await world.ask('GET', at('bound-later'))).status, 200);
    assert.equal((await unbind('bound-later')).status, 202);
    assert.deepEqual(state('bound-later'), ['delete', 'in progress']);
    world.broker.finish('bound-later');
    await pollBinding('bound-later');
    assert.equal(binding('bound-later'), undefined);
    assert.deepEqual(state('bound-later'), ['delete', 'succeeded']);
  });

  test('202 and then failed: the row goes', async () => {
    await bind('bound-never');
    world.broker.finish('bound-never', 'failed');
    await pollBinding('bound-never');
    assert.equal(binding('bound-never'), undefined);
    assert.deepEqual(state('bound-never'), ['create', 'failed']);
  });

  for (const status of [200, 410]) {
    test(`unbind ${status}: the row goes`, async () => {
      const id = `unbound-${status}`;
      world.broker.misbehave({ type: 'answer', status: 201, body: {} }, { method: 'PUT' });
      await bind(id);
      world.broker.misbehave({ type: 'answer', status, body: {} }, { method: 'DELETE' });
      assert.equal((await unbind(id)).status, status);
      assert.equal(binding(id), undefined);
      assert.deepEqual(state(id), ['delete', 'succeeded']);
    });
  }

  test('of an instance that we have never seen: recorded as an operation of the platform', async () => {
    assert.equal((await remove('never-seen')).status, 410);
    assert.deepEqual(recorded('never-seen'), [['k8s', 'delete', 'succeeded']]);
    await provision('never-seen');
    assert.deepEqual(state('never-seen'), ['create', 'succeeded']);
  });

  test('of an instance that we have never seen, in progress at the broker: recorded, and ended by the poll', async () => {
    const begin = () => {
      world.broker.misbehave({ type: 'answer', status: 202, body: { operation: 'd1' } }, { method: 'DELETE' });
      return remove('unseen-slow');
    };
    assert.equal((await begin()).status, 202);
    assert.deepEqual(recorded('unseen-slow'), [['k8s', 'delete', 'in progress']]);
    await begin();
    assert.deepEqual(recorded('unseen-slow'), [['k8s', 'delete', 'in progress']], 'asked again: the same operation');
    const say = (status: number, body: JsonObject) =>
      world.broker.misbehave({ type: 'answer', status, body }, { method: 'GET' });
    say(410, {});
    await world.ask('GET', '/service_instances/unseen-slow/last_operation', { platform: 'other' });
    assert.deepEqual(recorded('unseen-slow'), [['k8s', 'delete', 'in progress']], 'another platform polls its own');
    say(200, { state: 'in progress' });
    assert.equal((await poll('unseen-slow', '?operation=d1')).status, 200);
    assert.deepEqual(recorded('unseen-slow'), [['k8s', 'delete', 'in progress']]);
    say(410, {});
    assert.equal((await poll('unseen-slow', '?operation=d1')).status, 410);
    assert.deepEqual(recorded('unseen-slow'), [['k8s', 'delete', 'succeeded']]);
  });

  test('that of a binding likewise, and the operation records a failure', async () => {
    const path = '/service_instances/unseen-i/service_bindings/unseen-b';
    world.broker.misbehave({ type: 'answer', status: 202, body: { operation: 'u1' } }, { method: 'DELETE' });
    assert.equal((await world.ask('DELETE', `${path}?${idsOf('sync')}&${incomplete}`)).status, 202);
    assert.deepEqual(recorded('unseen-b'), [['k8s', 'delete', 'in progress']]);
    const failed = { state: 'failed', description: 'still in use' };
    world.broker.misbehave({ type: 'answer', status: 200, body: failed }, { method: 'GET' });
    await world.ask('GET', `${path}/last_operation?operation=u1`);
    assert.deepEqual(recorded('unseen-b'), [['k8s', 'delete', 'failed']]);
  });

  test('an open deletion of an unknown instance does not stand in the way of another platform', async () => {
    world.broker.misbehave({ type: 'answer', status: 202, body: { operation: 'd2' } }, { method: 'DELETE' });
    await remove('same-id');
    const asked = { platform: 'other', body: provisionBody('sync') };
    assert.equal((await world.ask('PUT', `/service_instances/same-id?${incomplete}`, asked)).status, 201);
    assert.deepEqual([world.last('same-id')?.spec.platformId, ...state('same-id')], ['other', 'create', 'succeeded']);
  });

  test('of an instance that we have never seen: passed on, not tracked', async () => {
    world.broker.misbehave({ type: 'answer', status: 201, body: { credentials: {} } }, { method: 'PUT' });
    const body = { service_id: 'database-id', plan_id: 'database-sync' };
    const path = '/service_instances/unseen/service_bindings/unseen-binding';
    assert.equal((await world.ask('PUT', path, { body })).status, 201);
    assert.equal(binding('unseen-binding'), undefined);
  });
});
