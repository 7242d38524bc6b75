import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { type Answer, assertError, assertStatus, type Body, itemsOf, textAt, withQuery } from '../support/http.ts';
import { ended, gone, locationOf, operationWhere, resourceIdOf } from '../support/operations.ts';
import { outcome } from '../support/outcomes.ts';
import { openShop, provision, registerPlatform, type Shop } from '../support/shop.ts';
import type { Stage } from '../support/stage.ts';

const path = '/v1/service_instances';

/** Sections 5.8 and 10: operations, the three modes, concurrency, polling and orphans. */
export function operations(stage: Stage): void {
  describe('operations', () => {
    let shop: Shop;
    before(async () => {
      shop = await openShop(stage);
    });
    const shopOf = () => shop;
    records(stage, shopOf);
    modes(stage, shopOf);
    concurrency(stage, shopOf);
    polling(stage, shopOf);
    orphans(stage);
  });
}

type ShopOf = () => Shop;

const create = (stage: Stage, planId: string, query = ''): Promise<Answer> =>
  stage.post(path + query, { name: stage.name('instance'), service_plan_id: planId });

const operationId = (answer: Answer): string => locationOf(answer).split('/').at(-1) ?? '';

function records(stage: Stage, shop: ShopOf): void {
  outcome(
    stage,
    ['GET /v1/operations 200', 'GET /v1/operations/:id 200', 'GET /v1/operations/:id 404 NotFound'],
    'are listed and read',
    async () => {
      const id = await provision(stage, shop().plan('queue/sync'));
      const query = `resource_id eq '${id}' and resource_type eq '${path}' and state eq 'succeeded' and type eq 'create'`;
      const listed = await stage.get(withQuery('/v1/operations', { fieldQuery: query }));
      assert.equal(listed.body['num_items'], 1);
      const [operation] = itemsOf(listed);
      const read = await stage.get(`/v1/operations/${operation?.['id']}`);
      assert.deepEqual(read.body, operation);
      for (const field of [
        'id',
        'type',
        'state',
        'resource_id',
        'resource_type',
        'platform_id',
        'correlation_id',
        'created_at',
      ])
        assert.equal(typeof operation?.[field], 'string', field);
      const { ready, reschedule, reschedule_timestamp: since, deletion_scheduled: scheduled } = operation ?? {};
      assert.deepEqual(
        [ready, reschedule, since, scheduled],
        [true, false, '0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
      );
      for (const field of ['reschedule_timestamp', 'deletion_scheduled']) {
        const none = `${query} and ${field} eq 0001-01-01T00:00:00Z`;
        const found = await stage.get(withQuery('/v1/operations', { fieldQuery: none }));
        assert.equal(found.body['num_items'], 1, 'what is shown is found');
      }
      assert.equal('last_operation' in read.body, false);
      assertError(await stage.get('/v1/operations/nothing'), 404, 'NotFound');
    },
  );
  outcome(
    stage,
    [
      'DELETE /v1/operations/:id 200',
      'DELETE /v1/operations/:id 404 NotFound',
      'DELETE /v1/operations/:id 422 OperationInProgress',
    ],
    'that have ended are removed; of others the record is still needed',
    async () => {
      const { id } = await registerPlatform(stage);
      const operation = textAt(await stage.get(`/v1/platforms/${id}`), 'last_operation', 'id');
      assert.equal((await stage.delete(`/v1/operations/${operation}`)).text, '{}');
      assertError(await stage.delete(`/v1/operations/${operation}`), 404, 'NotFound');
      assertStatus(await stage.get(`/v1/platforms/${id}`), 200);
      const slow = await create(stage, shop().plan('database/slow'));
      assertError(await stage.delete(`/v1/operations/${operationId(slow)}`), 422, 'OperationInProgress');
    },
  );
  outcome(
    stage,
    ['POST /v1/operations 405 MethodNotAllowed', 'DELETE /v1/operations 405 MethodNotAllowed'],
    'are neither made nor removed by the dozen',
    async () => {
      assertError(await stage.post('/v1/operations', {}), 405, 'MethodNotAllowed');
      assertError(await stage.delete('/v1/operations'), 405, 'MethodNotAllowed');
    },
  );
  outcome(
    stage,
    'GET /v1/tenants/:id/operations/:op 404 NotFound',
    'of tenants are not there unless there is one',
    async () => assertError(await stage.get('/v1/tenants/acme/operations/nothing'), 404, 'NotFound'),
  );
}

function modes(stage: Stage, shop: ShopOf): void {
  outcome(
    stage,
    `POST ${path}?async=true 202`,
    'async=true answers at once, and the row is there (deviation: no 404 before)',
    async () => {
      for (const plan of ['database/sync', 'database/async']) {
        const accepted = await create(stage, shop().plan(plan), '?async=true');
        const id = resourceIdOf(accepted);
        assertStatus(await stage.get(`${path}/${id}`), 200);
        assert.equal((await ended(stage, accepted))['state'], 'succeeded');
        const { body } = await stage.get(`${path}/${id}`);
        assert.deepEqual([body['ready'], body['usable']], [true, true]);
      }
    },
  );
  test('anything but false is true', async () => {
    assertStatus(await create(stage, shop().plan('database/sync'), '?async='), 202);
    assertStatus(await create(stage, shop().plan('database/sync'), '?async=1'), 202);
  });
  test('async=false waits for the end, whatever the broker says', async () => {
    for (const plan of ['database/sync', 'database/async'])
      assertStatus(await create(stage, shop().plan(plan), '?async=false'), 201);
  });
  outcome(stage, `POST ${path} 202`, 'without a mode the broker decides', async () => {
    assertStatus(await create(stage, shop().plan('database/sync')), 201);
    const accepted = await create(stage, shop().plan('database/async'));
    assert.equal((await ended(stage, accepted))['state'], 'succeeded');
  });
  outcome(stage, [`PATCH ${path}/:id 202`, `PATCH ${path}/:id?async=true 202`], 'of changes too', async () => {
    const { plan } = shop();
    const id = await provision(stage, plan('database/async'));
    const accepted = await stage.patch(`${path}/${id}`, { parameters: { a: 1 } });
    assert.equal((await ended(stage, accepted))['state'], 'succeeded');
    const later = await stage.patch(`${path}/${id}?async=true`, { service_plan_id: plan('database/sync') });
    assert.equal((await ended(stage, later))['state'], 'succeeded');
    assert.equal((await stage.get(`${path}/${id}`)).body['service_plan_id'], plan('database/sync'));
    assertStatus(await stage.patch(`${path}/${id}?async=false`, { service_plan_id: plan('database/async') }), 200);
    assertStatus(await stage.patch(`${path}/${id}?async=true`, { name: stage.name('renamed') }), 202);
  });
  outcome(stage, [`DELETE ${path}/:id 202`, `DELETE ${path}/:id?async=true 202`], 'of deletions too', async () => {
    const one = await provision(stage, shop().plan('database/async'));
    assert.equal((await ended(stage, await stage.delete(`${path}/${one}`)))['state'], 'succeeded');
    assertStatus(await stage.get(`${path}/${one}`), 404);
    const other = await provision(stage, shop().plan('database/sync'));
    assert.equal((await ended(stage, await stage.delete(`${path}/${other}?async=true`)))['state'], 'succeeded');
    const third = await provision(stage, shop().plan('database/async'));
    assertStatus(await stage.delete(`${path}/${third}?async=false`), 200);
  });
  test('a creation that fails in the background stays, not ready, with its reason', async () => {
    const { broker, plan } = shop();
    broker.misbehave({ type: 'answer', status: 400, body: { description: 'no room' } }, { method: 'PUT' });
    const accepted = await create(stage, plan('database/sync'), '?async=true');
    const operation = await ended(stage, accepted);
    assert.deepEqual([operation['state'], (operation['errors'] as Body)['error']], ['failed', 'BrokerError']);
    assert.match(String((operation['errors'] as Body)['description']), /no room/);
    const { body } = await stage.get(`${path}/${resourceIdOf(accepted)}`);
    assert.deepEqual([body['ready'], body['usable']], [false, false]);
  });
}

function concurrency(stage: Stage, shop: ShopOf): void {
  outcome(
    stage,
    [`PATCH ${path}/:id 422 ConcurrentOperationInProgress`, `DELETE ${path}/:id 422 ConcurrentOperationInProgress`],
    'while one goes on others wait, but a deletion may follow a creation',
    async () => {
      const { broker, plan } = shop();
      const id = resourceIdOf(await create(stage, plan('database/slow')));
      assertError(await stage.patch(`${path}/${id}`, { name: 'x' }), 422, 'ConcurrentOperationInProgress');
      const deletion = await stage.delete(`${path}/${id}`);
      assertStatus(deletion, 202);
      assertError(await stage.delete(`${path}/${id}`), 422, 'ConcurrentOperationInProgress');
      assertError(await stage.patch(`${path}/${id}`, { name: 'x' }), 422, 'ConcurrentOperationInProgress');
      await eventually(() => broker.instances.get(id)?.operation?.type === 'deprovision');
      broker.finish(id);
      assert.equal((await ended(stage, deletion))['state'], 'succeeded');
      await gone(stage, `${path}/${id}`);
    },
  );
  test('a change waits for a change', async () => {
    const { broker, plan } = shop();
    const id = await provision(stage, plan('database/sync'));
    const change = await stage.patch(`${path}/${id}`, { service_plan_id: plan('database/slow') });
    assertStatus(change, 202);
    assertError(await stage.patch(`${path}/${id}`, { labels: [] }), 422, 'ConcurrentOperationInProgress');
    broker.finish(id);
    assert.equal((await ended(stage, change))['state'], 'succeeded');
    assertStatus(await stage.patch(`${path}/${id}`, { labels: [] }), 200);
  });
}

function polling(stage: Stage, shop: ShopOf): void {
  test('while the broker works on it, the operation says so', async () => {
    const { broker, plan } = shop();
    const accepted = await create(stage, plan('database/slow'));
    const operation = (await stage.get(locationOf(accepted))).body;
    assert.deepEqual([operation['state'], operation['reschedule']], ['in progress', true]);
    assert.ok(String(operation['reschedule_timestamp']) > '2020');
    const { body } = await stage.get(`${path}/${resourceIdOf(accepted)}`);
    assert.deepEqual([body['ready'], body['usable']], [false, false]);
    broker.finish(resourceIdOf(accepted));
    assert.equal((await ended(stage, accepted))['state'], 'succeeded');
  });
  const unclear: readonly [why: string, status: number, body: unknown][] = [
    ['404', 404, {}],
    ['500', 500, {}],
    ['503', 503, {}],
    ['an unknown state', 200, { state: 'sleeping' }],
    ['nonsense', 200, 'nonsense'],
  ];
  for (const [why, status, body] of unclear)
    test(`a poll that is answered with ${why} is made again`, async () => {
      const { broker, plan } = shop();
      broker.misbehave({ type: 'answer', status, body }, { path: /last_operation/, times: 2 });
      const accepted = await create(stage, plan('database/async'));
      assert.equal((await ended(stage, accepted))['state'], 'succeeded');
    });
  test('a deletion that is polled to 410 has succeeded', async () => {
    const { broker, plan } = shop();
    const id = await provision(stage, plan('database/async'));
    broker.misbehave({ type: 'answer', status: 410, body: {} }, { path: new RegExp(`${id}/last_operation`) });
    assert.equal((await ended(stage, await stage.delete(`${path}/${id}`)))['state'], 'succeeded');
    assertStatus(await stage.get(`${path}/${id}`), 404);
  });
  test('an update that fails at last leaves the instance as it was, usable as the broker says', async () => {
    const { broker, plan } = shop();
    const id = await provision(stage, plan('database/async'));
    broker.misbehave(
      { type: 'fail-operation', details: { description: 'too big', instance_usable: false } },
      { path: new RegExp(`${id}/last_operation`) },
    );
    const accepted = await stage.patch(`${path}/${id}`, { service_plan_id: plan('database/slow') });
    const operation = await ended(stage, accepted);
    assert.equal(operation['state'], 'failed');
    assert.equal(operation['deletion_scheduled'], '0001-01-01T00:00:00Z');
    const { body } = await stage.get(`${path}/${id}`);
    assert.deepEqual([body['service_plan_id'], body['ready'], body['usable']], [plan('database/async'), true, false]);
  });
  test('a plan limits how long its broker is believed', async () => {
    const services = [
      {
        id: 'limited-id',
        name: 'limited',
        description: 'd',
        bindable: false,
        plans: [{ id: 'limited-plan', name: 'slow', description: 'd', maximum_polling_duration: 1 }],
      },
    ];
    const limited = await openShop(stage, { catalog: { services } });
    const accepted = await create(stage, limited.plan('limited/slow'));
    const operation = await ended(stage, accepted);
    assert.match(JSON.stringify(operation['errors']), /did not finish/);
    // The scripted broker ends the deletion only on request.
    await eventually(() => limited.broker.instances.get(resourceIdOf(accepted))?.operation?.type === 'deprovision');
    limited.broker.finish(resourceIdOf(accepted));
    await gone(stage, `${path}/${resourceIdOf(accepted)}`);
  });
}

function orphans(stage: Stage): void {
  test('a creation that fails at last is cleaned up and stays failed', async () => {
    const { broker, plan } = await openShop(stage);
    broker.misbehave({ type: 'fail-operation', details: { description: 'no disk' } }, { path: /last_operation/ });
    const accepted = await create(stage, plan('database/async'));
    const operation = await ended(stage, accepted);
    assert.equal(operation['state'], 'failed');
    await gone(stage, `${path}/${resourceIdOf(accepted)}`);
    assert.equal(broker.instances.size, 0);
    const after = (await stage.get(locationOf(accepted))).body;
    assert.deepEqual([after['state'], after['deletion_scheduled']], ['failed', '0001-01-01T00:00:00Z']);
  });
  for (const [why, misbehaviour] of [
    ['5xx', { type: 'answer', status: 500, body: {} }],
    ['a lost connection', { type: 'drop' }],
    ['half an answer', { type: 'drop-mid-body' }],
  ] as const)
    test(`after ${why} the broker is asked to delete until it does`, async () => {
      const { broker, plan } = await openShop(stage);
      broker.misbehave(misbehaviour, { method: 'PUT', acts: true });
      broker.misbehave({ type: 'answer', status: 503, body: {} }, { method: 'DELETE', times: 2 });
      const accepted = await create(stage, plan('database/sync'), '?async=true');
      const location = locationOf(accepted);
      const under = await operationWhere(stage, location, ({ deletion_scheduled: at }) => String(at) > '2020');
      assert.equal(under['state'], 'failed');
      await gone(stage, `${path}/${resourceIdOf(accepted)}`);
      assert.equal(broker.instances.size, 0);
    });
  test('after a refusal nothing is cleaned up', async () => {
    const { broker, plan } = await openShop(stage);
    broker.misbehave({ type: 'answer', status: 409, body: {} }, { method: 'PUT' });
    const operation = await ended(stage, await create(stage, plan('database/sync'), '?async=true'));
    assert.equal(operation['deletion_scheduled'], '0001-01-01T00:00:00Z');
    assert.ok(broker.requests.every(({ method }) => method !== 'DELETE'));
  });
  test('a deletion that the broker breaks over is tried again, and succeeds after all', async () => {
    const { broker, plan } = await openShop(stage);
    const id = await provision(stage, plan('database/sync'));
    broker.misbehave({ type: 'answer', status: 500, body: {} }, { method: 'DELETE', times: 2 });
    const accepted = await stage.delete(`${path}/${id}?async=true`);
    await operationWhere(stage, locationOf(accepted), ({ state }) => state === 'succeeded');
    await gone(stage, `${path}/${id}`);
    assert.equal(broker.instances.size, 0);
  });
  test('while it is cleaned up a new deletion is accepted', async () => {
    const { broker, plan } = await openShop(stage);
    const id = await provision(stage, plan('database/sync'));
    broker.misbehave({ type: 'answer', status: 500, body: {} }, { method: 'DELETE', times: Number.POSITIVE_INFINITY });
    const accepted = await stage.delete(`${path}/${id}?async=true`);
    await operationWhere(stage, locationOf(accepted), ({ deletion_scheduled: at }) => String(at) > '2020');
    broker.behave();
    const again = await stage.delete(`${path}/${id}?async=true`);
    assert.ok(again.status === 202 || again.status === 404, again.text);
    await gone(stage, `${path}/${id}`);
  });
}
