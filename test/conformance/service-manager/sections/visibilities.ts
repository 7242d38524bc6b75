import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { assertError, assertStatus, itemsOf, textAt, withQuery } from '../support/http.ts';
import { outcome } from '../support/outcomes.ts';
import { openPlan, openShop, type RegisteredPlatform, registerPlatform, type Shop } from '../support/shop.ts';
import type { Stage } from '../support/stage.ts';

const path = '/v1/visibilities';

/** Sections 5.5 and 6: visibilities, and what platforms see by them. */
export function visibilities(stage: Stage): void {
  describe('visibilities', () => {
    let shop: Shop;
    let platform: RegisteredPlatform;
    before(async () => {
      [shop, platform] = [await openShop(stage), await registerPlatform(stage)];
    });
    const plan = (name = 'database/sync') => shop.plan(name);

    outcome(stage, [`POST ${path} 201`, `GET ${path}/:id 200`, `GET ${path} 200`], 'are created and read', async () => {
      const body = { platform_id: platform.id, service_plan_id: plan(), labels: { organization_guid: ['o1', 'o2'] } };
      const created = await stage.post(path, body);
      assertStatus(created, 201);
      const read = await stage.get(`${path}/${textAt(created, 'id')}`);
      for (const [field, value] of Object.entries(body)) assert.deepEqual(read.body[field], value);
      assert.equal(textAt(read, 'last_operation', 'state'), 'succeeded');
      const listed = await stage.get(withQuery(path, { fieldQuery: `service_plan_id eq '${plan()}'` }));
      assert.equal(listed.body['num_items'], 1);
      const byLabel = await stage.get(withQuery(path, { labelQuery: "organization_guid eq 'o2'" }));
      assert.deepEqual(
        itemsOf(byLabel).map(({ id }) => id),
        [created.body['id']],
      );
    });
    for (const nobody of [{}, { platform_id: null }, { platform_id: '' }])
      test(`for every platform are created with ${JSON.stringify(nobody)}`, async () => {
        const { plan: planOf } = await openShop(stage);
        const created = await stage.post(path, { ...nobody, service_plan_id: planOf('queue/sync') });
        assertStatus(created, 201);
        assert.equal(created.body['platform_id'], '');
      });
    test('of a platform are found together with those for every platform', async () => {
      const [{ plan: planOf }, { id: platformId }] = [await openShop(stage), await registerPlatform(stage)];
      const own = await openPlan(stage, planOf('queue/async'), { platform_id: platformId });
      const everybodys = await openPlan(stage, planOf('queue/sync'));
      const plans = `service_plan_id in ('${planOf('queue/async')}','${planOf('queue/sync')}')`;
      const found = async (criterion: string) =>
        itemsOf(await stage.get(withQuery(path, { fieldQuery: `${plans} and platform_id ${criterion}` }))).map(
          ({ id }) => id,
        );
      assert.deepEqual(await found(`en '${platformId}'`), [own, everybodys]);
      assert.deepEqual(await found(`eq '${platformId}'`), [own]);
      assert.deepEqual(await found("en 'another'"), [everybodys]);
      assert.deepEqual(await found("eq ''"), [everybodys]);
    });
    outcome(stage, `POST ${path} 400 BadRequest`, 'need a plan and a platform that are there', async () => {
      assertError(await stage.post(path, {}), 400, 'BadRequest');
      assertError(await stage.post(path, { service_plan_id: 'nothing' }), 400, 'BadRequest');
      const unknown = { service_plan_id: plan(), platform_id: 'nothing' };
      assertError(await stage.post(path, unknown), 400, 'BadRequest');
    });
    outcome(stage, `POST ${path} 409 Conflict`, 'exist once for a plan and a platform', async () => {
      const wanted = { platform_id: platform.id, service_plan_id: plan('database/async') };
      const id = await openPlan(stage, wanted.service_plan_id, wanted);
      const again = await stage.post(path, wanted);
      assertError(again, 409, 'Conflict');
      assert.deepEqual(again.body['ids'], [id]);
    });
    test('of a plan for every platform and for one exclude each other', async () => {
      await openPlan(stage, plan('database/slow'));
      const narrow = { platform_id: platform.id, service_plan_id: plan('database/slow') };
      assertError(await stage.post(path, narrow), 400, 'BadRequest');
      await openPlan(stage, plan('database/shared'), { platform_id: platform.id });
      assertError(await stage.post(path, { service_plan_id: plan('database/shared') }), 400, 'BadRequest');
    });
    test('are not compared with the platforms that a plan supports', async () => {
      const other = await registerPlatform(stage, { type: 'something-else' });
      await openPlan(stage, plan('queue/async'), { platform_id: other.id });
    });
    outcome(stage, `POST ${path}?async 400 InvalidRequest`, 'are not made in the background', async () =>
      assertError(await stage.post(`${path}?async=true`, { service_plan_id: plan() }), 400, 'InvalidRequest'),
    );
    outcome(stage, `GET ${path}/:id 404 NotFound`, 'that are not there are not found', async () =>
      assertError(await stage.get(`${path}/nothing`), 404, 'NotFound', /could not find such visibility/),
    );
    outcome(stage, `GET ${path}/:id/operations/:op 200`, 'have operations', async () => {
      const id = await openPlan(stage, plan('database/rotatable'), { platform_id: platform.id });
      const operation = textAt(await stage.get(`${path}/${id}`), 'last_operation', 'id');
      assertStatus(await stage.get(`${path}/${id}/operations/${operation}`), 200);
    });
    changes(stage);
    deletion(stage);
    sight(stage);
  });
}

function changes(stage: Stage): void {
  outcome(
    stage,
    [
      `PATCH ${path}/:id 200`,
      `PATCH ${path}/:id 400 BadRequest`,
      `PATCH ${path}/:id 409 Conflict`,
      `PATCH ${path}/:id 404 NotFound`,
    ],
    'are changed as far as they stay single',
    async () => {
      const shop = await openShop(stage);
      const [one, other] = [await registerPlatform(stage), await registerPlatform(stage)];
      const id = await openPlan(stage, shop.plan('queue/sync'), { platform_id: one.id });
      await openPlan(stage, shop.plan('queue/sync'), { platform_id: other.id });
      const changed = await stage.patch(`${path}/${id}`, {
        service_plan_id: shop.plan('queue/async'),
        labels: [{ op: 'add', key: 'organization_guid', values: ['o'] }],
      });
      assertStatus(changed, 200);
      assert.deepEqual(changed.body['labels'], { organization_guid: ['o'] });
      assert.equal(changed.body['platform_id'], one.id);
      const open = await stage.patch(`${path}/${id}`, { platform_id: null });
      assert.equal(open.body['platform_id'], '', open.text);
      assertError(await stage.patch(`${path}/${id}`, { service_plan_id: shop.plan('queue/sync') }), 400, 'BadRequest');
      const clash = { service_plan_id: shop.plan('queue/sync'), platform_id: other.id };
      assertError(await stage.patch(`${path}/${id}`, clash), 409, 'Conflict');
      assertError(await stage.patch(`${path}/${id}`, { platform_id: 'nothing' }), 400, 'BadRequest');
      assertError(await stage.patch(`${path}/${id}`, { service_plan_id: 'nothing' }), 400, 'BadRequest');
      assertError(await stage.patch(`${path}/nothing`, {}), 404, 'NotFound');
    },
  );
}

function deletion(stage: Stage): void {
  outcome(
    stage,
    [
      `DELETE ${path}/:id 200`,
      `DELETE ${path}/:id 404 NotFound`,
      `DELETE ${path}/:id?cascade 400 BadRequest`,
      `DELETE ${path} 200`,
      `DELETE ${path} 400 BadRequest`,
      `DELETE ${path} 404 NotFound`,
    ],
    'are deleted one by one, or by a filter (deviation: a filter on bulk delete)',
    async () => {
      const shop = await openShop(stage);
      const id = await openPlan(stage, shop.plan('queue/sync'));
      assertError(await stage.delete(`${path}/${id}?cascade=true`), 400, 'BadRequest');
      assert.equal((await stage.delete(`${path}/${id}`)).text, '{}');
      assertError(await stage.delete(`${path}/${id}`), 404, 'NotFound');
      await openPlan(stage, shop.plan('queue/sync'));
      await openPlan(stage, shop.plan('queue/async'));
      assertError(await stage.delete(path), 400, 'BadRequest', /filter/);
      const query = `service_plan_id in ('${shop.plan('queue/sync')}','${shop.plan('queue/async')}')`;
      const filtered = withQuery(path, { fieldQuery: query });
      assertStatus(await stage.delete(filtered), 200);
      assertError(await stage.delete(filtered), 404, 'NotFound');
    },
  );
}

function sight(stage: Stage): void {
  test('decide what a platform sees: its own, everybody’s, and the catalog behind them', async () => {
    const shop = await openShop(stage);
    const [one, other] = [await registerPlatform(stage), await registerPlatform(stage)];
    const mine = await openPlan(stage, shop.plan('queue/sync'), { platform_id: one.id });
    const theirs = await openPlan(stage, shop.plan('queue/async'), { platform_id: other.id });
    const open = await openPlan(stage, shop.plan('database/sync'));
    const as = one.login;
    const ids = async (list: string): Promise<unknown[]> =>
      itemsOf(await stage.get(`${list}?max_items=200`, { as })).map(({ id }) => id);
    const seen = await ids(path);
    assert.deepEqual([seen.includes(mine), seen.includes(open), seen.includes(theirs)], [true, true, false]);
    const plans = await ids('/v1/service_plans');
    assert.ok(plans.includes(shop.plan('queue/sync')) && plans.includes(shop.plan('database/sync')));
    assert.ok(!plans.includes(shop.plan('queue/async')));
    assert.ok((await ids('/v1/service_brokers')).includes(shop.id));
    assertError(await stage.get(`${path}/${theirs}`, { as }), 404, 'NotFound');
    assertError(await stage.get(`/v1/service_plans/${shop.plan('queue/async')}`, { as }), 404, 'NotFound');
    assert.deepEqual(await ids('/v1/platforms'), [one.id]);
    assertError(await stage.get(`/v1/platforms/${other.id}`, { as }), 404, 'NotFound');
  });
}
