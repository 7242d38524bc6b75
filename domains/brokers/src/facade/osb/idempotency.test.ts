import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { osbErrors } from '../../model/osb/osb-errors.ts';
import { idsOf, provisionBody, startTestOsb, type TestOsb } from './test-osb.ts';

let world: TestOsb;
before(async () => {
  world = await startTestOsb();
});
after(() => world[Symbol.asyncDispose]());

const incomplete = 'accepts_incomplete=true';
const bindBody = (plan: string, more: JsonObject = {}): JsonObject => ({
  service_id: 'database-id',
  plan_id: `database-${plan}`,
  ...more,
});
const callsTo = (id: string, method: string): number =>
  world.broker.requests.filter(request => request.method === method && request.url.includes(`/${id}`)).length;

async function provision(id: string, plan: string): Promise<JsonObject> {
  const { status, body } = await world.ask('PUT', `/service_instances/${id}?${incomplete}`, {
    body: provisionBody(plan),
  });
  assert.equal(status, plan === 'slow' ? 202 : 201);
  return body;
}

describe('PUT instance', () => {
  test('absent: the broker makes it', async () => {
    await provision('put-absent', 'sync');
    assert.equal(world.broker.instances.has('put-absent'), true);
  });

  test('the same in progress: 202 with the same operation, and the broker is not asked again', async () => {
    const first = await provision('put-running', 'slow');
    const again = await world.ask('PUT', `/service_instances/put-running?${incomplete}`, {
      body: provisionBody('slow', { context: { platform: 'kubernetes', instance_name: 'renamed' } }),
    });
    assert.equal(again.status, 202);
    assert.equal(again.body['operation'], first['operation']);
    assert.equal(callsTo('put-running', 'PUT'), 1);
  });

  test('the same in progress for a platform that cannot wait: 422 AsyncRequired', async () => {
    await provision('put-cannot-wait', 'slow');
    const again = await world.ask('PUT', '/service_instances/put-cannot-wait', { body: provisionBody('slow') });
    assert.deepEqual([again.status, again.body], [422, osbErrors.asyncRequired]);
  });

  test('another in progress under the same id: 409', async () => {
    await provision('put-other', 'slow');
    const other = await world.ask('PUT', `/service_instances/put-other?${incomplete}`, { body: provisionBody('sync') });
    assert.equal(other.status, 409);
    assert.equal(callsTo('put-other', 'PUT'), 1);
  });

  test('an update in progress: 422 ConcurrencyError in the very words', async () => {
    await provision('put-updating', 'sync');
    const update = { service_id: 'database-id', plan_id: 'database-slow' };
    assert.equal(
      (await world.ask('PATCH', `/service_instances/put-updating?${incomplete}`, { body: update })).status,
      202,
    );
    const again = await world.ask('PUT', `/service_instances/put-updating?${incomplete}`, {
      body: provisionBody('sync'),
    });
    assert.deepEqual([again.status, again.body], [422, osbErrors.concurrencyError]);
  });

  test('complete and identical: 200 with what we know, even of a broker that has forgotten', async () => {
    const first = await provision('put-complete', 'sync');
    const again = await world.ask('PUT', '/service_instances/put-complete', { body: provisionBody('sync') });
    assert.deepEqual([again.status, again.body], [200, first]);
    assert.equal(callsTo('put-complete', 'PUT'), 1);
  });

  const differences: readonly { what: string; body: JsonObject }[] = [
    { what: 'plan', body: provisionBody('rotatable') },
    { what: 'organization', body: provisionBody('sync', { organization_guid: 'another' }) },
    { what: 'space', body: provisionBody('sync', { space_guid: 'another' }) },
    { what: 'parameters', body: provisionBody('sync', { parameters: { size: 2 } }) },
    { what: 'parameters, none', body: provisionBody('sync', { parameters: null }) },
  ];
  test('complete and different: 409, whatever differs', async () => {
    await provision('put-different', 'sync');
    for (const { what, body } of differences) {
      const { status } = await world.ask('PUT', '/service_instances/put-different', { body });
      assert.equal(status, 409, what);
    }
    assert.equal(callsTo('put-different', 'PUT'), 1);
  });

  test('the order of keys, the context and the maintenance version do not matter; no parameters equal empty ones', async () => {
    const { parameters: _parameters, ...bare } = provisionBody('sync');
    await world.ask('PUT', '/service_instances/put-bare', { body: bare });
    const body = {
      ...bare,
      parameters: {},
      context: { platform: 'kubernetes' },
      maintenance_info: { version: '1.0.0' },
    };
    assert.equal((await world.ask('PUT', '/service_instances/put-bare', { body })).status, 200);
  });
});

describe('PATCH instance', () => {
  const slower = { service_id: 'database-id', plan_id: 'database-slow', parameters: { size: 3 } };

  test('absent: the broker says what it says', async () => {
    const { status } = await world.ask('PATCH', '/service_instances/patch-absent', {
      body: { service_id: 'database-id' },
    });
    assert.ok(status === 404 || status === 422, String(status));
    assert.equal(callsTo('patch-absent', 'PATCH'), 1);
  });

  test('the same in progress: 202 with the same operation', async () => {
    await provision('patch-running', 'sync');
    const first = await world.ask('PATCH', `/service_instances/patch-running?${incomplete}`, { body: slower });
    const again = await world.ask('PATCH', `/service_instances/patch-running?${incomplete}`, { body: slower });
    assert.deepEqual([again.status, again.body['operation']], [202, first.body['operation']]);
    assert.equal(callsTo('patch-running', 'PATCH'), 1);
  });

  test('another in progress: 422, after the broker was polled', async () => {
    await provision('patch-other', 'sync');
    await world.ask('PATCH', `/service_instances/patch-other?${incomplete}`, { body: slower });
    const other = { service_id: 'database-id', parameters: { size: 9 } };
    const rejected = await world.ask('PATCH', `/service_instances/patch-other?${incomplete}`, { body: other });
    assert.deepEqual([rejected.status, rejected.body], [422, osbErrors.concurrencyError]);
    world.broker.finish('patch-other');
    const taken = await world.ask('PATCH', `/service_instances/patch-other?${incomplete}`, { body: other });
    assert.notEqual(taken.status, 422);
    assert.equal(world.registry.instances.get('patch-other')?.spec.planId, world.plan('database-slow').id);
  });

  test('complete: the broker is asked again', async () => {
    await provision('patch-again', 'sync');
    const body = { service_id: 'database-id', parameters: { size: 5 } };
    assert.equal((await world.ask('PATCH', '/service_instances/patch-again', { body })).status, 200);
    assert.equal((await world.ask('PATCH', '/service_instances/patch-again', { body })).status, 200);
    assert.equal(callsTo('patch-again', 'PATCH'), 2);
  });
});

describe('DELETE instance', () => {
  test('absent: 410, with a body that clients can read', async () => {
    const gone = await world.ask('DELETE', `/service_instances/delete-absent?${idsOf()}`);
    assert.deepEqual([gone.status, gone.body], [410, {}]);
  });

  test('in progress: 202 with the same operation', async () => {
    await provision('delete-running', 'slow');
    world.broker.finish('delete-running');
    await world.ask('GET', `/service_instances/delete-running/last_operation`);
    const path = `/service_instances/delete-running?${idsOf('slow')}&${incomplete}`;
    const first = await world.ask('DELETE', path);
    const again = await world.ask('DELETE', path);
    assert.deepEqual([first.status, again.status], [202, 202]);
    assert.equal(again.body['operation'], first.body['operation']);
    assert.equal(callsTo('delete-running', 'DELETE'), 1);
  });

  test('a creation in progress: the broker decides', async () => {
    await provision('delete-creating', 'slow');
    await world.ask('DELETE', `/service_instances/delete-creating?${idsOf('slow')}&${incomplete}`);
    assert.equal(callsTo('delete-creating', 'DELETE'), 1);
  });
});

describe('PUT and DELETE binding', () => {
  before(() => provision('bound', 'slow').then(() => world.broker.finish('bound')));
  before(() => world.ask('GET', '/service_instances/bound/last_operation'));
  const at = (id: string) => `/service_instances/bound/service_bindings/${id}`;

  test('complete and identical: the broker gives the credentials again; different: 409 from the record', async () => {
    await provision('bound-sync', 'sync');
    const path = '/service_instances/bound-sync/service_bindings/bind-twice';
    const first = await world.ask('PUT', path, { body: bindBody('sync', { parameters: { a: 1, b: 2 } }) });
    assert.equal(first.status, 201);
    const again = await world.ask('PUT', path, { body: bindBody('sync', { parameters: { b: 2, a: 1 } }) });
    assert.deepEqual([again.status, again.body['credentials']], [200, first.body['credentials']]);
    const other = await world.ask('PUT', path, { body: bindBody('sync', { parameters: { a: 2 } }) });
    assert.equal(other.status, 409);
    assert.equal(callsTo('bind-twice', 'PUT'), 2);
  });

  test('in progress: 202 with the same operation for the same, 409 for another', async () => {
    const path = `${at('bind-running')}?${incomplete}`;
    const first = await world.ask('PUT', path, { body: bindBody('slow') });
    const again = await world.ask('PUT', path, { body: bindBody('slow') });
    assert.deepEqual([first.status, again.status, again.body], [202, 202, first.body]);
    assert.equal((await world.ask('PUT', path, { body: bindBody('slow', { parameters: { x: 1 } }) })).status, 409);
    assert.equal(callsTo('bind-running', 'PUT'), 1);
    assert.equal((await world.ask('GET', at('bind-running'))).status, 404);
    world.broker.finish('bind-running');
  });

  test('a deletion in progress: the same one for a deletion, 422 for a bind', async () => {
    await world.ask('PUT', `${at('unbind-running')}?${incomplete}`, { body: bindBody('slow') });
    world.broker.finish('unbind-running');
    await world.ask('GET', `${at('unbind-running')}/last_operation`);
    const path = `${at('unbind-running')}?${idsOf('slow')}&${incomplete}`;
    const first = await world.ask('DELETE', path);
    const again = await world.ask('DELETE', path);
    assert.deepEqual([first.status, again.status, again.body], [202, 202, first.body]);
    assert.equal(callsTo('unbind-running', 'DELETE'), 1);
    const bound = await world.ask('PUT', `${at('unbind-running')}?${incomplete}`, { body: bindBody('slow') });
    assert.deepEqual([bound.status, bound.body], [422, osbErrors.concurrencyError]);
  });

  test('complete and identical: 200, also of a broker that answers 201 for ever', async () => {
    await provision('bound-again', 'sync');
    const path = '/service_instances/bound-again/service_bindings/bind-again';
    const credentials = { user: 'u' };
    const always = { type: 'answer', status: 201, body: { credentials } } as const;
    world.broker.misbehave(always, { method: 'PUT', path: /bind-again/, times: 2 });
    const first = await world.ask('PUT', path, { body: bindBody('sync') });
    const again = await world.ask('PUT', path, { body: bindBody('sync') });
    assert.deepEqual([first.status, again.status, again.body['credentials']], [201, 200, credentials]);
  });

  test('absent: 410', async () => {
    const gone = await world.ask('DELETE', `${at('unbind-absent')}?${idsOf('slow')}`);
    assert.deepEqual([gone.status, gone.body], [410, {}]);
  });
});

describe('GET', () => {
  test('an instance that is being made is not there yet; a made one is as the broker shows it', async () => {
    await provision('get-slow', 'slow');
    assert.equal((await world.ask('GET', '/service_instances/get-slow')).status, 404);
    assert.equal(callsTo('get-slow', 'GET'), 0);
    world.broker.finish('get-slow');
    await world.ask('GET', '/service_instances/get-slow/last_operation');
    const shown = await world.ask('GET', '/service_instances/get-slow');
    assert.deepEqual([shown.status, shown.body['plan_id']], [200, 'database-slow']);
  });
});

describe('requests at the same time', () => {
  test('identical ones: one reaches the broker, all get an answer that fits', async () => {
    world.broker.misbehave({ type: 'delay', ms: 30 }, { method: 'PUT', path: /together/ });
    const put = () => world.ask('PUT', '/service_instances/together', { body: provisionBody('sync') });
    const statuses = (await Promise.all([put(), put(), put()])).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [200, 200, 201]);
    assert.equal(callsTo('together', 'PUT'), 1);
  });

  test('different ones: the second gets ConcurrencyError', async () => {
    world.broker.misbehave({ type: 'delay', ms: 50 }, { method: 'PUT', path: /apart/ });
    const put = world.ask('PUT', '/service_instances/apart', { body: provisionBody('sync') });
    while (callsTo('apart', 'PUT') === 0) await new Promise(resolve => setTimeout(resolve, 1));
    const rejected = await world.ask('DELETE', `/service_instances/apart?${idsOf()}`);
    assert.deepEqual([rejected.status, rejected.body], [422, osbErrors.concurrencyError]);
    assert.equal((await put).status, 201);
  });

  test('identical ones at two processes: both succeed, one row is there, nothing is taken back', async () => {
    world.broker.misbehave({ type: 'delay', ms: 30 }, { method: 'PUT', path: /twin/, times: 2 });
    const path = '/service_instances/twin';
    const both = await Promise.all([
      world.ask('PUT', path, { body: provisionBody('sync') }),
      world.askSecond('PUT', path, { body: provisionBody('sync') }),
    ]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 201]);
    assert.equal(world.registry.operations.count('resourceId', 'twin'), 1);
    assert.equal(callsTo('twin', 'DELETE'), 0);
  });
});
