import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Answer, assertError, assertStatus, type Body, textAt } from '../support/http.ts';
import { outcome } from '../support/outcomes.ts';
import { bind, openPlan, openShop, provision, provisionOverOsb, registerPlatform, type Shop } from '../support/shop.ts';
import type { Stage } from '../support/stage.ts';

const path = '/v1/service_instances';

/** Section 15: sharing of instances, and references to them. */
export function sharing(stage: Stage): void {
  describe('sharing', () => {
    let shop: Shop;
    before(async () => {
      shop = await openShop(stage);
    });
    const shopOf = () => shop;
    share(stage, shopOf);
    references(stage, shopOf);
    lifeOfReferences(stage, shopOf);
  });
}

type ShopOf = () => Shop;

const sharedInstance = async (stage: Stage, shop: Shop, more: Body = {}): Promise<string> => {
  const id = await provision(stage, shop.plan('database/shared'), more);
  assertStatus(await stage.patch(`${path}/${id}`, { shared: true }), 200);
  return id;
};

const refer = (stage: Stage, shop: Shop, parameters: Body | undefined): Promise<Answer> =>
  stage.post(path, {
    name: stage.name('reference'),
    service_plan_id: shop.plan('database/reference-instance'),
    ...(parameters && { parameters }),
  });

function share(stage: Stage, shop: ShopOf): void {
  outcome(
    stage,
    [`PATCH ${path}/:id 200`, `PATCH ${path}/:id?async 400 InvalidRequest`, `PATCH ${path}/:id 400 BadRequest`],
    'an instance is shared and unshared without its broker, and the flag is shown',
    async () => {
      const { broker, plan } = shop();
      const id = await provision(stage, plan('database/shared'));
      broker.forgetRequests();
      for (const shared of [true, true, false, false, true]) {
        const answer = await stage.patch(`${path}/${id}`, { shared });
        assert.deepEqual([answer.status, answer.body['shared']], [200, shared]);
      }
      assert.deepEqual(broker.requests, []);
      assertError(await stage.patch(`${path}/${id}?async=true`, { shared: false }), 400, 'InvalidRequest');
      assertError(await stage.patch(`${path}/${id}`, { shared: false, name: 'x' }), 400, 'BadRequest', /only/);
      assertError(await stage.patch(`${path}/${id}`, { shared: 'yes' }), 400, 'BadRequest');
      const other = await provision(stage, plan('database/sync'));
      assertError(
        await stage.patch(`${path}/${other}`, { shared: true }),
        400,
        'BadRequest',
        /does not support sharing/,
      );
    },
  );
  test('an instance of a platform is shared too', async () => {
    const platform = await registerPlatform(stage);
    await openPlan(stage, shop().plan('database/shared'));
    const id = await provisionOverOsb(stage, shop(), { platform, planId: shop().plan('database/shared') });
    assertStatus(await stage.patch(`${path}/${id}`, { shared: true }), 200);
    assertStatus(await refer(stage, shop(), { referenced_instance_id: id }), 201);
  });
  test('what is referred to is neither unshared nor deleted, and keeps a plan that can be shared', async () => {
    const id = await sharedInstance(stage, shop());
    const reference = textAt(await refer(stage, shop(), { referenced_instance_id: id }), 'id');
    const unshared = await stage.patch(`${path}/${id}`, { shared: false });
    assertError(unshared, 400, 'BadRequest', new RegExp(reference));
    assert.deepEqual(unshared.body['ids'], [reference]);
    const deleted = await stage.delete(`${path}/${id}`);
    assertError(deleted, 400, 'BadRequest', new RegExp(reference));
    const plan = { service_plan_id: shop().plan('database/sync') };
    assertError(await stage.patch(`${path}/${id}`, plan), 400, 'BadRequest', /sharing/);
    assertStatus(await stage.delete(`${path}/${reference}`), 200);
    assertStatus(await stage.patch(`${path}/${id}`, { shared: false }), 200);
    assertStatus(await stage.delete(`${path}/${id}`), 200);
  });
  test('a shared instance changes like any other, at its broker and with its labels (defect 4 not copied)', async () => {
    const id = await sharedInstance(stage, shop());
    const labels = [{ op: 'add', key: 'k', values: ['v'] }];
    const changed = await stage.patch(`${path}/${id}`, { parameters: { size: 2 }, labels });
    assertStatus(changed, 200);
    assert.deepEqual(changed.body['labels'], { k: ['v'] });
    assert.deepEqual(shop().broker.instances.get(id)?.parameters, { size: 2 });
  });
}

function references(stage: Stage, shop: ShopOf): void {
  const bad: readonly [why: string, parameters: Body | undefined][] = [
    ['no parameters', undefined],
    ['empty parameters', {}],
    ['both ways', { referenced_instance_id: '*', selectors: { plan_name_selector: 'x' } }],
    ['an id that is no text', { referenced_instance_id: 7 }],
    ['an id of 101 characters', { referenced_instance_id: 'x'.repeat(101) }],
    ['selectors that are no object', { selectors: 'x' }],
    ['empty selectors', { selectors: { instance_name_selector: '', instance_label_selector: [] } }],
    ['a selector of another type', { selectors: { instance_name_selector: 7 } }],
    ['a label query that is none', { selectors: { instance_label_selector: ['no query'] } }],
  ];
  for (const [why, parameters] of bad)
    test(`a reference is refused with ${why}`, async () =>
      assertError(await refer(stage, shop(), parameters), 400, 'BadRequest'));
  test('a reference by id', async () => {
    const id = await sharedInstance(stage, shop());
    shop().broker.forgetRequests();
    const created = await refer(stage, shop(), { referenced_instance_id: id });
    assertStatus(created, 201);
    assert.deepEqual(
      [created.body['referenced_instance_id'], created.body['ready'], created.body['usable']],
      [id, true, true],
    );
    assert.deepEqual(shop().broker.requests, [], 'the broker never hears of it');
    const read = await stage.get(`${path}/${textAt(created, 'id')}/parameters`);
    assert.deepEqual(read.body, { referenced_instance_id: id });
  });
  test('what cannot be referred to', async () => {
    assertError(await refer(stage, shop(), { referenced_instance_id: 'nothing' }), 404, 'NotFound');
    const unshared = await provision(stage, shop().plan('database/shared'));
    assertError(await refer(stage, shop(), { referenced_instance_id: unshared }), 400, 'BadRequest', /not shared/);
    const elsewhere = await sharedInstance(stage, await openShop(stage));
    assertError(await refer(stage, shop(), { referenced_instance_id: elsewhere }), 404, 'NotFound');
  });
  test('a reference by selectors', async () => {
    const own = await openShop(stage);
    const name = stage.name('main-db');
    const id = await sharedInstance(stage, own, { name, labels: { tier: ['gold'] } });
    const other = await sharedInstance(stage, own, { labels: { tier: ['lead'] } });
    const found = async (parameters: Body) => {
      const created = await refer(stage, own, parameters);
      assertStatus(created, 201);
      return created.body['referenced_instance_id'];
    };
    assert.equal(await found({ selectors: { instance_name_selector: name } }), id);
    assert.equal(await found({ selectors: { instance_label_selector: ["tier eq 'lead'"] } }), other);
    assert.equal(await found({ selectors: { instance_name_selector: name, plan_name_selector: 'shared' } }), id);
    const none = { selectors: { instance_name_selector: name, instance_label_selector: ["tier eq 'lead'"] } };
    assertError(await refer(stage, own, none), 404, 'NotFound');
    assertError(await refer(stage, own, { selectors: { plan_name_selector: 'nothing' } }), 404, 'NotFound');
    const several = await refer(stage, own, { selectors: { plan_name_selector: 'shared' } });
    assertError(several, 400, 'BadRequest', /several/);
    assert.deepEqual(several.body['ids'], [id, other].toSorted(), 'deviation: 400 and the candidates, not 404');
    assertError(await refer(stage, own, { referenced_instance_id: '*' }), 400, 'BadRequest');
  });
  test('a star stands for the only one', async () => {
    const own = await openShop(stage);
    assertError(await refer(stage, own, { referenced_instance_id: '*' }), 404, 'NotFound');
    const id = await sharedInstance(stage, own);
    assert.equal((await refer(stage, own, { referenced_instance_id: '*' })).body['referenced_instance_id'], id);
  });
}

function lifeOfReferences(stage: Stage, shop: ShopOf): void {
  test('a reference is renamed and deleted without the broker; its plan and parameters stay', async () => {
    const id = await sharedInstance(stage, shop());
    const reference = textAt(await refer(stage, shop(), { referenced_instance_id: id }), 'id');
    shop().broker.forgetRequests();
    const name = stage.name('renamed');
    const changed = await stage.patch(`${path}/${reference}`, { name });
    assert.deepEqual([changed.status, changed.body['name']], [200, name], 'deviation: the plan need not be repeated');
    const plan = { service_plan_id: shop().plan('database/sync') };
    assertError(await stage.patch(`${path}/${reference}`, plan), 400, 'BadRequest');
    assertError(await stage.patch(`${path}/${reference}`, { parameters: { a: 1 } }), 400, 'BadRequest');
    assertStatus(await stage.delete(`${path}/${reference}`), 200);
    assert.deepEqual(shop().broker.requests, []);
    assertStatus(await stage.get(`${path}/${id}`), 200);
  });
  test('a binding of a reference is made on the shared instance, also when it takes time', async () => {
    const id = await sharedInstance(stage, shop());
    const reference = textAt(await refer(stage, shop(), { referenced_instance_id: id }), 'id');
    const binding = await bind(stage, reference);
    assert.equal((await stage.get(`/v1/service_bindings/${binding}`)).body['service_instance_id'], reference);
    assert.equal(shop().broker.bindings.get(binding)?.instanceId, id);
    assertError(await stage.delete(`${path}/${reference}`), 400, 'BadRequest', /existing bindings/);
    assertStatus(await stage.delete(`/v1/service_bindings/${binding}`), 200);
    assert.equal(shop().broker.bindings.has(binding), false);
  });
}
