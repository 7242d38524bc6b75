import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { assertError, assertStatus, at, type Body, itemsOf, textAt, withQuery } from '../support/http.ts';
import { ended, gone, locationOf, resourceIdOf } from '../support/operations.ts';
import { outcome } from '../support/outcomes.ts';
import { bind, openPlan, openShop, provision, provisionOverOsb, registerPlatform, type Shop } from '../support/shop.ts';
import type { Stage } from '../support/stage.ts';

/** Section 11: cascade and force. */
export function cascade(stage: Stage): void {
  describe('cascade', () => {
    let shop: Shop;
    before(async () => {
      shop = await openShop(stage);
      await openPlan(stage, shop.plan('database/sync'));
    });
    const shopOf = () => shop;
    trees(stage, shopOf);
    failures(stage, shopOf);
    platforms(stage, shopOf);
  });
}

type ShopOf = () => Shop;

function trees(stage: Stage, shop: ShopOf): void {
  outcome(
    stage,
    'DELETE /v1/service_instances/:id?cascade=true 202',
    'an instance goes after its bindings',
    async () => {
      const { broker, plan } = shop();
      const instance = await provision(stage, plan('database/sync'));
      const ids = [await bind(stage, instance), await bind(stage, instance)];
      const accepted = await stage.delete(`/v1/service_instances/${instance}?cascade=true`);
      const operation = await ended(stage, accepted);
      assert.equal(operation['state'], 'succeeded', JSON.stringify(operation));
      assert.equal(operation['cascade_root_id'], operation['id']);
      for (const id of ids) assert.equal(broker.bindings.has(id), false);
      assert.equal(broker.instances.has(instance), false);
      const tree = await stage.get(
        withQuery('/v1/operations', { fieldQuery: `cascade_root_id eq '${operation['id']}'` }),
      );
      assert.equal(tree.body['num_items'], 3);
      const children = itemsOf(tree).filter(({ parent_id: parent }) => parent === operation['id']);
      assert.deepEqual(children.map(child => child['resource_id']).toSorted(), ids.toSorted());
      assert.ok(itemsOf(tree).every(({ state }) => state === 'succeeded'));
    },
  );
  outcome(stage, 'DELETE /v1/service_bindings/:id?cascade=true 202', 'a binding goes by itself', async () => {
    const id = await bind(stage, await provision(stage, shop().plan('database/sync')));
    assert.equal(
      (await ended(stage, await stage.delete(`/v1/service_bindings/${id}?cascade=true`)))['state'],
      'succeeded',
    );
    assertStatus(await stage.get(`/v1/service_bindings/${id}`), 404);
  });
  test('asked for twice it is the same operation', async () => {
    const { broker, plan } = shop();
    const instance = await provision(stage, plan('database/sync'));
    await bind(stage, instance);
    broker.misbehave({ type: 'delay', ms: 300 }, { method: 'DELETE' });
    const path = `/v1/service_instances/${instance}?cascade=true`;
    const [one, other] = [await stage.delete(path), await stage.delete(path)];
    assert.equal(locationOf(one), locationOf(other));
    assert.equal((await ended(stage, one))['state'], 'succeeded');
  });
  outcome(
    stage,
    [
      'DELETE /v1/service_instances/:id?cascade=true 404 NotFound',
      'DELETE /v1/service_bindings/:id?cascade=true 404 NotFound',
      'DELETE /v1/platforms/:id?cascade=true 404 NotFound',
    ],
    'of what is not there is not found',
    async () => {
      for (const type of ['service_instances', 'service_bindings', 'platforms'])
        assertError(await stage.delete(`/v1/${type}/nothing?cascade=true`), 404, 'NotFound');
    },
  );
  test('a deletion that runs already is waited for', async () => {
    const { broker, plan } = shop();
    const instance = await provision(stage, plan('database/async'));
    const binding = await bind(stage, instance);
    broker.misbehave(
      { type: 'answer', status: 200, body: { state: 'in progress' } },
      { path: /last_operation/, times: 3 },
    );
    assertStatus(await stage.delete(`/v1/service_bindings/${binding}`), 202);
    const operation = await ended(stage, await stage.delete(`/v1/service_instances/${instance}?cascade=true`));
    assert.equal(operation['state'], 'succeeded', JSON.stringify(operation));
    const unbinds = broker.requests.filter(({ method, url }) => method === 'DELETE' && url.includes(binding));
    assert.equal(unbinds.length, 1);
  });
}

function failures(stage: Stage, shop: ShopOf): void {
  test('what fails at a leaf is told at the root', async () => {
    const { broker, plan } = shop();
    const instance = await provision(stage, plan('database/sync'));
    const [bad, good] = [await bind(stage, instance), await bind(stage, instance)];
    broker.misbehave(
      { type: 'answer', status: 400, body: { description: 'in use' } },
      { method: 'DELETE', path: new RegExp(bad) },
    );
    const operation = await ended(stage, await stage.delete(`/v1/service_instances/${instance}?cascade=true`));
    assert.equal(operation['state'], 'failed');
    const [error] = at(operation['errors'], 'cascade_errors') as Body[];
    assert.deepEqual(
      ['parent_type', 'parent_id', 'resource_type', 'resource_id'].map(field => error?.[field]),
      ['/v1/service_instances', instance, '/v1/service_bindings', bad],
    );
    assert.equal(at(error, 'message', 'error'), 'BrokerError');
    assert.match(String(at(error, 'message', 'description')), /in use/);
    assertStatus(await stage.get(`/v1/service_instances/${instance}`), 200);
    assertStatus(await stage.get(`/v1/service_bindings/${good}`), 404);
    const again = await ended(stage, await stage.delete(`/v1/service_instances/${instance}?cascade=true`));
    assert.equal(again['state'], 'succeeded');
  });
  outcome(
    stage,
    [
      'DELETE /v1/service_instances/:id?cascade=true&force=true 202',
      'DELETE /v1/service_bindings/:id?cascade=true&force=true 202',
    ],
    'with force everything goes, whatever the broker says',
    async () => {
      const { broker, plan } = await openShop(stage);
      const instance = await provision(stage, plan('database/sync'));
      const [one, other] = [await bind(stage, instance), await bind(stage, instance)];
      broker.misbehave(
        { type: 'answer', status: 400, body: { description: 'never' } },
        { method: 'DELETE', times: Number.POSITIVE_INFINITY },
      );
      const ofBinding = await stage.delete(`/v1/service_bindings/${one}?cascade=true&force=true`);
      assert.equal((await ended(stage, ofBinding))['state'], 'succeeded');
      const accepted = await stage.delete(`/v1/service_instances/${instance}?cascade=true&force=true`);
      const operation = await ended(stage, accepted);
      assert.equal(operation['state'], 'succeeded', JSON.stringify(operation));
      assert.deepEqual(operation['labels'], { force: ['true'] });
      for (const path of [`service_instances/${instance}`, `service_bindings/${one}`, `service_bindings/${other}`])
        assertStatus(await stage.get(`/v1/${path}`), 404);
    },
  );
}

function platforms(stage: Stage, shop: ShopOf): void {
  outcome(stage, 'DELETE /v1/platforms/:id?cascade=true 202', 'a platform goes with all its instances', async () => {
    const platform = await registerPlatform(stage);
    const planId = shop().plan('database/sync');
    const ids = [
      await provisionOverOsb(stage, shop(), { platform, planId }),
      await provisionOverOsb(stage, shop(), { platform, planId }),
    ];
    const accepted = await stage.delete(`/v1/platforms/${platform.id}?cascade=true`);
    assert.equal(resourceIdOf(accepted), platform.id);
    assert.equal((await ended(stage, accepted))['state'], 'succeeded');
    await gone(stage, `/v1/platforms/${platform.id}`);
    for (const id of ids) assert.equal(shop().broker.instances.has(id), false);
  });
  outcome(
    stage,
    'PUT /v1/osb/:broker/v2/service_instances/:id 422 UnprocessableEntity',
    'while a platform goes, nothing new is made for it',
    async () => {
      const { broker, plan } = shop();
      const platform = await registerPlatform(stage);
      const id = await provisionOverOsb(stage, shop(), { platform, planId: plan('database/sync') });
      broker.misbehave({ type: 'delay', ms: 500 }, { method: 'DELETE', path: new RegExp(id) });
      const accepted = await stage.delete(`/v1/platforms/${platform.id}?cascade=true`);
      const known = broker.requests.find(({ method, url }) => method === 'PUT' && url.includes(id));
      const refused = await stage.put(
        `/v1/osb/${shop().id}/v2/service_instances/late`,
        JSON.parse(known?.body ?? '{}') as Body,
        {
          as: platform.login,
          headers: { 'x-broker-api-version': '2.17' },
        },
      );
      assertError(refused, 422, 'UnprocessableEntity');
      assert.equal((await ended(stage, accepted))['state'], 'succeeded');
    },
  );
  outcome(
    stage,
    'DELETE /v1/platforms/:id?cascade=true 422 UnprocessableEntity',
    'a platform whose shared instances others refer to stays',
    async () => {
      const { plan } = shop();
      const platform = await registerPlatform(stage);
      await openPlan(stage, plan('database/shared'), { platform_id: platform.id });
      const shared = await provisionOverOsb(stage, shop(), { platform, planId: plan('database/shared') });
      assertStatus(await stage.patch(`/v1/service_instances/${shared}`, { shared: true }), 200);
      const reference = await stage.post('/v1/service_instances', {
        name: stage.name('reference'),
        service_plan_id: plan('database/reference-instance'),
        parameters: { referenced_instance_id: shared },
      });
      assertStatus(reference, 201);
      const refused = await stage.delete(`/v1/platforms/${platform.id}?cascade=true`);
      assertError(refused, 422, 'UnprocessableEntity');
      assert.deepEqual(refused.body['ids'], [textAt(reference, 'id')]);
      assertStatus(await stage.delete(`/v1/service_instances/${textAt(reference, 'id')}`), 200);
      const accepted = await stage.delete(`/v1/platforms/${platform.id}?cascade=true`);
      assert.equal((await ended(stage, accepted))['state'], 'succeeded');
    },
  );
  test('references go with the shared instance', async () => {
    const { plan } = shop();
    const shared = await provision(stage, plan('database/shared'));
    assertStatus(await stage.patch(`/v1/service_instances/${shared}`, { shared: true }), 200);
    const parameters = { referenced_instance_id: shared };
    const reference = await provision(stage, plan('database/reference-instance'), { parameters });
    const operation = await ended(stage, await stage.delete(`/v1/service_instances/${shared}?cascade=true`));
    assert.equal(operation['state'], 'succeeded', JSON.stringify(operation));
    await eventually(async () => (await stage.get(`/v1/service_instances/${reference}`)).status === 404);
  });
}
