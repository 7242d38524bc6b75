import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Answer, assertError, assertStatus, type Body, itemsOf, textAt, withQuery } from '../support/http.ts';
import { ended, locationOf, resourceIdOf } from '../support/operations.ts';
import { outcome } from '../support/outcomes.ts';
import { bind, openPlan, openShop, provision, provisionOverOsb, registerPlatform, type Shop } from '../support/shop.ts';
import type { Stage } from '../support/stage.ts';

const path = '/v1/service_bindings';

/** Section 5.7: bindings of the service manager itself. */
export function bindings(stage: Stage): void {
  describe('bindings', () => {
    let shop: Shop;
    let instance: string;
    before(async () => {
      shop = await openShop(stage);
      instance = await provision(stage, shop.plan('database/sync'));
    });
    const world = { shop: () => shop, instance: () => instance };
    creation(stage, world);
    refusals(stage, world);
    reading(stage, world);
    change(stage, world);
    deletion(stage, world);
    parameters(stage, world);
  });
}

interface World {
  readonly shop: () => Shop;
  readonly instance: () => string;
}

const create = (stage: Stage, instanceId: string, more: Body = {}, query = ''): Promise<Answer> =>
  stage.post(path + query, { name: stage.name('binding'), service_instance_id: instanceId, ...more });

function creation(stage: Stage, { shop, instance }: World): void {
  outcome(stage, `POST ${path} 201`, 'are made at the broker, with credentials', async () => {
    const more = { parameters: { role: 'reader' }, bind_resource: { app_guid: 'app' }, labels: { a: ['1'] } };
    const created = await create(stage, instance(), more);
    assertStatus(created, 201);
    const id = textAt(created, 'id');
    assert.equal(textAt(created, 'credentials', 'username'), `user-${id}`);
    assert.deepEqual([created.body['ready'], created.body['labels']], [true, { a: ['1'] }]);
    const known = shop().broker.bindings.get(id);
    assert.deepEqual([known?.parameters, known?.bindResource], [{ role: 'reader' }, { app_guid: 'app' }]);
    assert.doesNotMatch(created.text, /reader/, 'parameters are not kept');
  });
  outcome(stage, `POST ${path} 202`, 'that take time are fetched when they are there', async () => {
    const slow = await provision(stage, shop().plan('database/async'));
    const accepted = await create(stage, slow);
    assert.equal((await ended(stage, accepted))['state'], 'succeeded');
    const id = resourceIdOf(accepted);
    assert.equal(textAt(await stage.get(`${path}/${id}`), 'credentials', 'username'), `user-${id}`);
  });
  test('are asked to be made at once where they cannot be fetched', async () => {
    const queue = await provision(stage, shop().plan('queue/async'));
    shop().broker.forgetRequests();
    assertStatus(await create(stage, queue), 201);
    const asked = shop().broker.requests.find(({ method }) => method === 'PUT');
    assert.doesNotMatch(asked?.url ?? '', /accepts_incomplete=true/);
  });
  outcome(stage, `POST ${path}?async=true 202`, 'are made in the background', async () => {
    const accepted = await create(stage, instance(), {}, '?async=true');
    assert.match(locationOf(accepted), /^\/v1\/service_bindings\//);
    assert.equal((await ended(stage, accepted))['state'], 'succeeded');
  });
}

function refusals(stage: Stage, { shop, instance }: World): void {
  for (const [why, more] of [
    ['an id', { id: 'x' }],
    ['no name', { name: null }],
    ['no instance', { service_instance_id: null }],
    ['parameters that are no object', { parameters: 'x' }],
  ] as const)
    outcome(stage, `POST ${path} 400 BadRequest`, `are refused with ${why}`, async () =>
      assertError(await create(stage, instance(), more), 400, 'BadRequest'),
    );
  outcome(stage, `POST ${path} 400 BrokerError`, 'are refused where the plan has none', async () => {
    const unbindable = await provision(stage, shop().plan('queue/unbindable'));
    assertError(await create(stage, unbindable), 400, 'BrokerError', /not bindable/);
  });
  outcome(stage, `POST ${path} 404 NotFound`, 'need an instance of the service manager itself', async () => {
    assertError(await create(stage, 'nothing'), 404, 'NotFound');
    const platform = await registerPlatform(stage);
    const planId = shop().plan('queue/sync');
    await openPlan(stage, planId);
    const foreign = await provisionOverOsb(stage, shop(), { platform, planId });
    assertError(await create(stage, foreign), 404, 'NotFound');
  });
  outcome(stage, `POST ${path} 409 Conflict`, 'have a name of their own within the instance', async () => {
    const name = stage.name('binding');
    const id = await bind(stage, instance(), { name });
    const again = await create(stage, instance(), { name });
    assertError(again, 409, 'Conflict');
    assert.deepEqual(again.body['ids'], [id]);
    const other = await provision(stage, shop().plan('queue/sync'));
    assertStatus(await create(stage, other, { name }), 201);
  });
  outcome(stage, `POST ${path} 422 OperationInProgress`, 'wait until the instance is ready', async () => {
    const body = { name: stage.name('instance'), service_plan_id: shop().plan('database/slow') };
    const id = resourceIdOf(await stage.post('/v1/service_instances?async=true', body));
    assertError(await create(stage, id), 422, 'OperationInProgress', /not ready/);
  });
  outcome(stage, `POST ${path} 502 BrokerError`, 'that the broker refuses leave nothing behind', async () => {
    shop().broker.misbehave({ type: 'answer', status: 400, body: { description: 'no' } }, { method: 'PUT' });
    const name = stage.name('binding');
    assertError(await create(stage, instance(), { name }), 502, 'BrokerError');
    assert.equal((await stage.get(withQuery(path, { fieldQuery: `name eq '${name}'` }))).body['num_items'], 0);
  });
  test('what a broker says in the place of credentials is not quoted', async () => {
    shop().broker.misbehave({ type: 'answer', status: 201, body: 'password=hunter2' }, { method: 'PUT' });
    const answer = await create(stage, instance());
    assertError(answer, 502, 'BrokerError');
    assert.doesNotMatch(answer.text, /hunter2/);
  });
}

function reading(stage: Stage, { instance }: World): void {
  outcome(
    stage,
    [
      `GET ${path} 200`,
      `GET ${path}/:id 200`,
      `GET ${path}/:id 404 NotFound`,
      `GET ${path}/:id/operations/:op 200`,
      `GET ${path}/:id/operations/:op 404 NotFound`,
    ],
    'show their credentials one at a time (deviation: lists do not)',
    async () => {
      const id = await bind(stage, instance());
      const read = await stage.get(`${path}/${id}`);
      assert.equal(textAt(read, 'credentials', 'password'), `password-of-${id}`);
      const operation = textAt(read, 'last_operation', 'id');
      assertStatus(await stage.get(`${path}/${id}/operations/${operation}`), 200);
      assertError(await stage.get(`${path}/other/operations/${operation}`), 404, 'NotFound');
      assertError(await stage.get(`${path}/nothing`), 404, 'NotFound', /could not find such service binding/);
      const listed = await stage.get(withQuery(path, { fieldQuery: `service_instance_id eq '${instance()}'` }));
      assert.ok(itemsOf(listed).some(item => item['id'] === id));
      assert.doesNotMatch(listed.text, /password-of-/);
    },
  );
}

function change(stage: Stage, { shop, instance }: World): void {
  outcome(
    stage,
    [
      `PATCH ${path}/:id 200`,
      `PATCH ${path}/:id 400 BadRequest`,
      `PATCH ${path}/:id?async 400 InvalidRequest`,
      `PATCH ${path}/:id 404 NotFound`,
      `PATCH ${path}/:id 409 Conflict`,
    ],
    'change their name and labels, and nothing else',
    async () => {
      const [id, other] = [await bind(stage, instance()), stage.name('binding')];
      await bind(stage, instance(), { name: other });
      shop().broker.forgetRequests();
      const name = stage.name('renamed');
      const changed = await stage.patch(`${path}/${id}`, { name, labels: [{ op: 'add', key: 'k', values: ['v'] }] });
      assertStatus(changed, 200);
      assert.deepEqual([changed.body['name'], changed.body['labels']], [name, { k: ['v'] }]);
      assert.deepEqual(shop().broker.requests, []);
      for (const body of [{ parameters: {} }, { service_instance_id: 'x' }, { credentials: {} }, { name: '' }])
        assertError(await stage.patch(`${path}/${id}`, body), 400, 'BadRequest');
      assertError(await stage.patch(`${path}/${id}?async=true`, { name: 'x' }), 400, 'InvalidRequest');
      assertError(await stage.patch(`${path}/nothing`, { name: 'x' }), 404, 'NotFound');
      assertError(await stage.patch(`${path}/${id}`, { name: other }), 409, 'Conflict');
    },
  );
}

function deletion(stage: Stage, { shop, instance }: World): void {
  outcome(
    stage,
    [`DELETE ${path}/:id 200`, `DELETE ${path}/:id 404 NotFound`],
    'are deleted at the broker and here',
    async () => {
      const id = await bind(stage, instance());
      assert.equal((await stage.delete(`${path}/${id}`)).text, '{}');
      assertError(await stage.delete(`${path}/${id}`), 404, 'NotFound');
      assert.equal(shop().broker.bindings.has(id), false);
    },
  );
  outcome(stage, `DELETE ${path}/:id?async=true 202`, 'are deleted in the background', async () => {
    const id = await bind(stage, instance());
    assert.equal((await ended(stage, await stage.delete(`${path}/${id}?async=true`)))['state'], 'succeeded');
    assertStatus(await stage.get(`${path}/${id}`), 404);
  });
  outcome(stage, `DELETE ${path}/:id 502 BrokerError`, 'that the broker will not delete stay', async () => {
    const id = await bind(stage, instance());
    shop().broker.misbehave({ type: 'answer', status: 400, body: { description: 'no' } }, { method: 'DELETE' });
    assertError(await stage.delete(`${path}/${id}`), 502, 'BrokerError');
    assertStatus(await stage.get(`${path}/${id}`), 200);
  });
  outcome(stage, `DELETE ${path} 405 MethodNotAllowed`, 'are not deleted by the dozen', async () =>
    assertError(await stage.delete(path), 405, 'MethodNotAllowed'),
  );
  outcome(stage, `DELETE ${path}/:id?force 400 BadRequest`, 'are not deleted by force without cascade', async () => {
    const id = await bind(stage, instance());
    assertError(await stage.delete(`${path}/${id}?force=true`), 400, 'BadRequest');
  });
}

function parameters(stage: Stage, { shop, instance }: World): void {
  outcome(
    stage,
    [
      `GET ${path}/:id/parameters 200`,
      `GET ${path}/:id/parameters 400 BadRequest`,
      `GET ${path}/:id/parameters?async 400 InvalidRequest`,
      `GET ${path}/:id/parameters 404 NotFound`,
      `GET ${path}/:id/parameters 502 BrokerError`,
    ],
    'tell their parameters as the broker knows them',
    async () => {
      const id = await bind(stage, instance(), { parameters: { role: 'writer' } });
      const read = await stage.get(`${path}/${id}/parameters`);
      assert.deepEqual([read.status, read.body], [200, { role: 'writer' }]);
      assertError(await stage.get(`${path}/${id}/parameters?async=true`), 400, 'InvalidRequest');
      assertError(await stage.get(`${path}/nothing/parameters`), 404, 'NotFound');
      const queue = await bind(stage, await provision(stage, shop().plan('queue/sync')));
      assertError(await stage.get(`${path}/${queue}/parameters`), 400, 'BadRequest');
      shop().broker.misbehave({ type: 'answer', status: 200, body: 'nonsense' }, { method: 'GET' });
      assertError(await stage.get(`${path}/${id}/parameters`), 502, 'BrokerError');
    },
  );
}
