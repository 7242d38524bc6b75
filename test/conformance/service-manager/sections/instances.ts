import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { type Answer, assertError, assertStatus, at, type Body, itemsOf, textAt, withQuery } from '../support/http.ts';
import { ended, resourceIdOf } from '../support/operations.ts';
import { outcome } from '../support/outcomes.ts';
import { bind, openPlan, openShop, provision, provisionOverOsb, registerPlatform, type Shop } from '../support/shop.ts';
import type { Stage } from '../support/stage.ts';

const path = '/v1/service_instances';

/** Sections 5.6 and 10.5: instances of the service manager itself. */
export function instances(stage: Stage): void {
  describe('instances', () => {
    let shop: Shop;
    before(async () => {
      shop = await openShop(stage);
    });
    const shopOf = () => shop;
    creation(stage, shopOf);
    refusals(stage, shopOf);
    brokerFailures(stage, shopOf);
    reading(stage, shopOf);
    change(stage, shopOf);
    deletion(stage, shopOf);
    parameters(stage, shopOf);
    ofPlatforms(stage, shopOf);
  });
}

type ShopOf = () => Shop;

const create = (stage: Stage, planId: string, more: Body = {}): Promise<Answer> =>
  stage.post(path, { name: stage.name('instance'), service_plan_id: planId, ...more });

function creation(stage: Stage, shop: ShopOf): void {
  outcome(stage, `POST ${path} 201`, 'are made at the broker, whose parameters are not kept', async () => {
    const { broker, plan } = shop();
    const parameters = { size: 7, secret: 'of-the-user' };
    const created = await create(stage, plan('database/sync'), { parameters, labels: { a: ['1'] } });
    assertStatus(created, 201);
    const id = textAt(created, 'id');
    const { ready, usable, platform_id: platform, dashboard_url: dashboard, labels } = created.body;
    assert.deepEqual([ready, usable, platform, labels], [true, true, 'service-manager', { a: ['1'] }]);
    assert.equal(dashboard, `http://dashboard.example/${id}`);
    assert.deepEqual(broker.instances.get(id)?.parameters, parameters);
    assert.doesNotMatch((await stage.get(`${path}/${id}`)).text, /of-the-user/);
    assert.equal(textAt(created, 'last_operation', 'state'), 'succeeded');
  });
  test('tell the broker who asks, from where, and that it may take its time', async () => {
    const { broker, plan } = shop();
    const name = stage.name('instance');
    const id = await provision(stage, plan('database/sync'), { name });
    const asked = broker.requests.find(({ method, url }) => method === 'PUT' && url.includes(id));
    assert.match(asked?.url ?? '', /accepts_incomplete=true/);
    const [platform, identity = ''] = String(asked?.headers['x-broker-api-originating-identity']).split(' ');
    assert.equal(platform, 'service-manager');
    assert.ok((JSON.parse(Buffer.from(identity, 'base64').toString()) as Body)['username']);
    const body = JSON.parse(asked?.body ?? '{}') as Body;
    assert.deepEqual([body['organization_guid'], body['space_guid']], ['-', '-']);
    assert.deepEqual(
      [at(body, 'context', 'platform'), at(body, 'context', 'instance_name')],
      ['service-manager', name],
    );
  });
  test('may be asked for by the names of offering and plan', async () => {
    const offering = textAt(await stage.get(`/v1/service_offerings/${shop().offerings['queue']}`), 'name');
    const names = { service_offering_name: offering, service_plan_name: 'sync' };
    const created = await stage.post(path, { name: stage.name('instance'), ...names });
    assert.equal(created.body['service_plan_id'], shop().plan('queue/sync'), created.text);
  });
  test('what the server sets is ignored on creation', async () => {
    const created = await create(stage, shop().plan('queue/sync'), { context: { a: 1 }, usable: false, ready: false });
    assertStatus(created, 201);
    assert.deepEqual(
      [created.body['usable'], created.body['ready'], at(created.body, 'context', 'a')],
      [true, true, undefined],
    );
  });
}

function refusals(stage: Stage, shop: ShopOf): void {
  const bad: readonly [why: string, more: Body][] = [
    ['an id', { id: 'mine' }],
    ['no name', { name: null }],
    ['a name of 256 characters', { name: 'n'.repeat(256) }],
    ['no plan', { service_plan_id: null }],
    ['a plan by id and by name', { service_plan_name: 'sync', service_offering_name: 'x' }],
    ['half of the names', { service_plan_id: null, service_plan_name: 'sync' }],
    ['shared', { shared: true }],
    ['a referenced instance at the top', { referenced_instance_id: 'x' }],
    ['parameters that are no object', { parameters: 'x' }],
    ['wrong labels', { labels: { a: 'x' } }],
  ];
  for (const [why, more] of bad)
    outcome(stage, `POST ${path} 400 BadRequest`, `are refused with ${why}`, async () =>
      assertError(await create(stage, shop().plan('database/sync'), more), 400, 'BadRequest'),
    );
  outcome(stage, `POST ${path} 400 InvalidTransfer`, 'are not made on another platform', async () => {
    const { id } = await registerPlatform(stage);
    assertError(await create(stage, shop().plan('queue/sync'), { platform_id: id }), 400, 'InvalidTransfer');
    const own = { platform_id: 'service-manager' };
    assertStatus(await create(stage, shop().plan('queue/sync'), own), 201);
  });
  outcome(stage, `POST ${path} 404 NotFound`, 'need a plan that is there', async () => {
    assertError(await create(stage, 'nothing'), 404, 'NotFound', /could not find such service plan/);
    const names = { service_plan_id: null, service_offering_name: 'nothing', service_plan_name: 'x' };
    assertError(await create(stage, '', names), 404, 'NotFound');
  });
  outcome(stage, `POST ${path} 409 Conflict`, 'have a name of their own', async () => {
    const name = stage.name('instance');
    const id = await provision(stage, shop().plan('queue/sync'), { name });
    const again = await create(stage, shop().plan('queue/sync'), { name });
    assertError(again, 409, 'Conflict');
    assert.deepEqual(again.body['ids'], [id]);
  });
  test('a name that two plans have asks for more, and names the candidates', async () => {
    const catalog = { services: [twin] };
    const [one, two] = [await openShop(stage, { catalog }), await openShop(stage, { catalog })];
    const names = { service_offering_name: 'twin', service_plan_name: 'twin' };
    const answer = await stage.post(path, { name: stage.name('instance'), ...names });
    assertError(answer, 400, 'BadRequest');
    assert.equal((answer.body['ids'] as unknown[]).length, 2);
    const named = await stage.post(path, { name: stage.name('instance'), ...names, broker_name: two.name });
    assertStatus(named, 201);
    assert.ok(two.broker.instances.has(textAt(named, 'id')) && !one.broker.instances.has(textAt(named, 'id')));
  });
}

/** The same in two brokers. */
const twin = {
  id: 'twin',
  name: 'twin',
  description: 'd',
  bindable: true,
  plans: [{ id: 'twin', name: 'twin', description: 'd' }],
};

function brokerFailures(stage: Stage, shop: ShopOf): void {
  const count = async () => Number((await stage.get(`${path}?max_items=0`)).body['num_items']);
  const put = { method: 'PUT', path: /service_instances/ };
  outcome(stage, `POST ${path} 502 BrokerError`, 'that the broker refuses leave nothing behind', async () => {
    const { broker, plan, name } = shop();
    const before = await count();
    broker.misbehave({ type: 'answer', status: 400, body: { error: 'TooLarge', description: 'no room' } }, put);
    const answer = await create(stage, plan('database/sync'));
    assertError(answer, 502, 'BrokerError', /failed with: no room/);
    const { broker: who, broker_status: status, broker_error: word } = answer.body;
    assert.deepEqual([who, status, word], [name, 400, 'TooLarge']);
    assert.equal(await count(), before);
    assert.equal(broker.requests.filter(({ method }) => method === 'DELETE').length, 0, 'nothing to clean up');
  });
  outcome(
    stage,
    `POST ${path} 502 ServiceBrokerErr`,
    'of a broker that is not there leave nothing behind',
    async () => {
      const { broker, plan } = await openShop(stage);
      const before = await count();
      await broker.stop();
      const answer = await create(stage, plan('database/sync'));
      assertError(answer, 502, 'ServiceBrokerErr');
      assert.equal(answer.body['retryable'], true);
      assert.equal(await count(), before);
    },
  );
  test('that a broker answers with nonsense are cleaned up there', async () => {
    const { broker, plan } = await openShop(stage);
    broker.misbehave({ type: 'answer', status: 201, body: '<html>' }, { ...put, acts: true });
    const name = stage.name('instance');
    assertError(await create(stage, plan('database/sync'), { name }), 502, 'BrokerError', /invalid JSON/);
    const list = withQuery(path, { fieldQuery: `name eq '${name}'` });
    await eventually(async () => (await stage.get(list)).body['num_items'] === 0);
    assert.equal(broker.instances.size, 0, 'the orphan is gone');
  });
}

function reading(stage: Stage, shop: ShopOf): void {
  outcome(
    stage,
    [
      `GET ${path} 200`,
      `GET ${path}/:id 200`,
      `GET ${path}/:id 404 NotFound`,
      `GET ${path}/:id/operations/:op 200`,
      `GET ${path}/:id/operations/:op 404 NotFound`,
    ],
    'are read, with their operations',
    async () => {
      const id = await provision(stage, shop().plan('queue/sync'));
      const read = await stage.get(`${path}/${id}`);
      assertStatus(read, 200);
      const operation = textAt(read, 'last_operation', 'id');
      assertStatus(await stage.get(`${path}/${id}/operations/${operation}`), 200);
      assertError(await stage.get(`${path}/other/operations/${operation}`), 404, 'NotFound');
      assertError(await stage.get(`${path}/nothing`), 404, 'NotFound', /could not find such service instance/);
      const listed = itemsOf(await stage.get(withQuery(path, { fieldQuery: `id eq '${id}'` })));
      assert.equal(listed.length, 1);
    },
  );
}

function change(stage: Stage, shop: ShopOf): void {
  outcome(stage, `PATCH ${path}/:id 200`, 'change their plan and parameters at the broker', async () => {
    const { broker, plan } = shop();
    const id = await provision(stage, plan('database/sync'));
    const body = { service_plan_id: plan('database/rotatable'), parameters: { size: 9 } };
    const changed = await stage.patch(`${path}/${id}`, body);
    assertStatus(changed, 200);
    assert.equal(changed.body['service_plan_id'], plan('database/rotatable'));
    const known = broker.instances.get(id);
    assert.match(known?.planId ?? '', /-rotatable$/);
    assert.deepEqual(known?.parameters, { size: 9 });
    assert.deepEqual([changed.body['ready'], textAt(changed, 'last_operation', 'type')], [true, 'update']);
  });
  test('change names and labels without the broker (deviation: broker called only for what concerns it)', async () => {
    const { broker, plan } = shop();
    const id = await provision(stage, plan('queue/sync'));
    broker.forgetRequests();
    const name = stage.name('renamed');
    const changed = await stage.patch(`${path}/${id}`, { name, labels: [{ op: 'add', key: 'k', values: ['v'] }] });
    assertStatus(changed, 200);
    assert.deepEqual([changed.body['name'], changed.body['labels']], [name, { k: ['v'] }]);
    assertStatus(await stage.patch(`${path}/${id}`, {}), 200);
    assert.deepEqual(broker.requests, []);
  });
  outcome(stage, `PATCH ${path}/:id 400 BadRequest`, 'refuse what cannot be changed', async () => {
    const id = await provision(stage, shop().plan('database/sync'));
    const bad: Body[] = [
      { name: '' },
      { referenced_instance_id: 'x' },
      { parameters: [] },
      { service_plan_id: shop().plan('queue/sync') },
      { labels: [{ op: 'replace', key: 'a' }] },
    ];
    for (const body of bad) assertError(await stage.patch(`${path}/${id}`, body), 400, 'BadRequest');
  });
  outcome(stage, `PATCH ${path}/:id 404 NotFound`, 'need to be there, and their plans too', async () => {
    assertError(await stage.patch(`${path}/nothing`, {}), 404, 'NotFound');
    const id = await provision(stage, shop().plan('queue/sync'));
    assertError(await stage.patch(`${path}/${id}`, { service_plan_id: 'nothing' }), 404, 'NotFound');
  });
  outcome(stage, `PATCH ${path}/:id 409 Conflict`, 'do not take the name of another', async () => {
    const name = stage.name('instance');
    const other = await provision(stage, shop().plan('queue/sync'), { name });
    const id = await provision(stage, shop().plan('queue/sync'));
    const answer = await stage.patch(`${path}/${id}`, { name });
    assertError(answer, 409, 'Conflict');
    assert.deepEqual(answer.body['ids'], [other]);
  });
  outcome(stage, `PATCH ${path}/:id 502 BrokerError`, 'stay usable when the broker refuses a change', async () => {
    const { broker, plan } = shop();
    const id = await provision(stage, plan('database/sync'));
    broker.misbehave({ type: 'answer', status: 400, body: { description: 'not now' } }, { method: 'PATCH' });
    const body = { service_plan_id: plan('database/rotatable') };
    assertError(await stage.patch(`${path}/${id}`, body), 502, 'BrokerError', /not now/);
    const read = await stage.get(`${path}/${id}`);
    assert.deepEqual(
      [read.body['service_plan_id'], read.body['usable'], read.body['ready']],
      [plan('database/sync'), true, true],
    );
    assert.equal(textAt(read, 'last_operation', 'state'), 'failed');
  });
  test('are not usable when the broker says so (deviation: REST reads instance_usable)', async () => {
    const { broker, plan } = shop();
    const id = await provision(stage, plan('database/sync'));
    broker.misbehave(
      { type: 'answer', status: 500, body: { description: 'broken', instance_usable: false } },
      { method: 'PATCH' },
    );
    assertError(await stage.patch(`${path}/${id}`, { parameters: { a: 1 } }), 502, 'BrokerError');
    assert.equal((await stage.get(`${path}/${id}`)).body['usable'], false);
  });
  outcome(
    stage,
    `PATCH ${path}/:id 403 UpdateOperationIsNotAllowed`,
    'whose creation failed are not changed',
    async () => {
      const { broker, plan } = shop();
      broker.misbehave({ type: 'answer', status: 400, body: {} }, { method: 'PUT' });
      const accepted = await stage.post(`${path}?async=true`, {
        name: stage.name('instance'),
        service_plan_id: plan('database/sync'),
      });
      assert.equal((await ended(stage, accepted))['state'], 'failed');
      const id = resourceIdOf(accepted);
      assertError(await stage.patch(`${path}/${id}`, { name: 'x' }), 403, 'UpdateOperationIsNotAllowed');
      assertStatus(await stage.delete(`${path}/${id}`), 200);
    },
  );
}

function deletion(stage: Stage, shop: ShopOf): void {
  outcome(
    stage,
    [`DELETE ${path}/:id 200`, `DELETE ${path}/:id 404 NotFound`],
    'are deleted at the broker and here',
    async () => {
      const id = await provision(stage, shop().plan('database/sync'));
      assert.equal((await stage.delete(`${path}/${id}`)).text, '{}');
      assertError(await stage.delete(`${path}/${id}`), 404, 'NotFound');
      assert.equal(shop().broker.instances.has(id), false);
    },
  );
  test('that the broker does not have any more are deleted', async () => {
    const id = await provision(stage, shop().plan('database/sync'));
    shop().broker.misbehave({ type: 'answer', status: 410, body: {} }, { method: 'DELETE' });
    assertStatus(await stage.delete(`${path}/${id}`), 200);
  });
  outcome(stage, `DELETE ${path}/:id 400 BadRequest`, 'that are bound stay', async () => {
    const id = await provision(stage, shop().plan('database/sync'));
    await bind(stage, id);
    assertError(
      await stage.delete(`${path}/${id}`),
      400,
      'BadRequest',
      /could not delete instance due to 1 existing bindings/,
    );
  });
  outcome(stage, `DELETE ${path}/:id 502 BrokerError`, 'that the broker will not delete stay', async () => {
    const id = await provision(stage, shop().plan('database/sync'));
    shop().broker.misbehave({ type: 'answer', status: 400, body: { description: 'in use' } }, { method: 'DELETE' });
    assertError(await stage.delete(`${path}/${id}`), 502, 'BrokerError', /in use/);
    assert.equal(textAt(await stage.get(`${path}/${id}`), 'last_operation', 'state'), 'failed');
    assertStatus(await stage.delete(`${path}/${id}`), 200);
  });
  outcome(stage, `DELETE ${path}/:id?force 400 BadRequest`, 'are not deleted by force without cascade', async () => {
    const id = await provision(stage, shop().plan('database/sync'));
    assertError(await stage.delete(`${path}/${id}?force=true`), 400, 'BadRequest');
  });
  outcome(stage, `DELETE ${path} 405 MethodNotAllowed`, 'are not deleted by the dozen', async () =>
    assertError(await stage.delete(withQuery(path, { fieldQuery: "id eq 'x'" })), 405, 'MethodNotAllowed'),
  );
}

function parameters(stage: Stage, shop: ShopOf): void {
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
      const { broker, plan } = shop();
      const id = await provision(stage, plan('database/sync'), { parameters: { size: 3 } });
      const read = await stage.get(`${path}/${id}/parameters`);
      assert.deepEqual([read.status, read.body], [200, { size: 3 }]);
      assertError(await stage.get(`${path}/${id}/parameters?async=true`), 400, 'InvalidRequest');
      assertError(await stage.get(`${path}/nothing/parameters`), 404, 'NotFound');
      const other = await provision(stage, plan('queue/sync'));
      assertError(await stage.get(`${path}/${other}/parameters`), 400, 'BadRequest', /retrieval/);
      broker.misbehave({ type: 'answer', status: 200, body: 'nonsense' }, { method: 'GET' });
      assertError(await stage.get(`${path}/${id}/parameters`), 502, 'BrokerError');
      broker.misbehave({ type: 'answer', status: 200, body: { parameters: 'text' } }, { method: 'GET' });
      assertError(await stage.get(`${path}/${id}/parameters`), 502, 'BrokerError');
    },
  );
}

function ofPlatforms(stage: Stage, shop: ShopOf): void {
  test('of a platform are seen by it and by the operator, labelled here, and deleted by the operator alone', async () => {
    const [one, other] = [await registerPlatform(stage), await registerPlatform(stage)];
    const planId = shop().plan('queue/sync');
    await openPlan(stage, planId);
    const id = await provisionOverOsb(stage, shop(), { platform: one, planId });
    assert.equal((await stage.get(`${path}/${id}`)).body['platform_id'], one.id);
    assertStatus(await stage.get(`${path}/${id}`, { as: one.login }), 200);
    assertError(await stage.get(`${path}/${id}`, { as: other.login }), 404, 'NotFound');
    assert.deepEqual(
      itemsOf(await stage.get(path, { as: one.login })).map(item => item['id']),
      [id],
    );
    const labels = [{ op: 'add', key: 'a', values: ['b'] }];
    assertStatus(await stage.patch(`${path}/${id}`, { labels }), 200);
    assertError(await stage.patch(`${path}/${id}`, { name: 'x' }), 404, 'NotFound');
    assertError(await stage.patch(`${path}/${id}`, { parameters: { a: 1 } }), 404, 'NotFound');
    assertStatus(await stage.delete(`${path}/${id}`), 200);
    assert.equal(shop().broker.instances.has(id), false);
  });
}
