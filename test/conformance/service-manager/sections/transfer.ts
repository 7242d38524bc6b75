import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { assertError, assertStatus, at, textAt } from '../support/http.ts';
import { outcome } from '../support/outcomes.ts';
import {
  openPlan,
  openShop,
  provision,
  provisionOverOsb,
  type RegisteredPlatform,
  registerPlatform,
  type Shop,
} from '../support/shop.ts';
import type { Stage } from '../support/stage.ts';

const path = '/v1/service_instances';

/** Section 5.6, transfer: an instance of a platform becomes the service manager's. */
export function transfer(stage: Stage): void {
  describe('transfer', () => {
    let shop: Shop;
    let platform: RegisteredPlatform;
    before(async () => {
      [shop, platform] = [await openShop(stage), await registerPlatform(stage)];
      for (const plan of ['database/sync', 'queue/sync']) await openPlan(stage, shop.plan(plan));
    });
    const made = (plan: string) => provisionOverOsb(stage, shop, { platform, planId: shop.plan(plan) });
    const move = (id: string, platform_id = 'service-manager') => stage.patch(`${path}/${id}`, { platform_id });

    test('the broker is told of the new context, and the platform does not own it any more', async () => {
      const id = await made('database/sync');
      const moved = await move(id);
      assertStatus(moved, 200);
      assert.equal(moved.body['platform_id'], 'service-manager');
      assert.equal(at(shop.broker.instances.get(id)?.context, 'platform'), 'service-manager');
      assertError(await stage.get(`${path}/${id}`, { as: platform.login }), 404, 'NotFound');
      assert.equal(textAt(await stage.patch(`${path}/${id}`, { name: stage.name('mine') }), 'id'), id);
    });
    outcome(
      stage,
      `PATCH ${path}/:id 400 UnsupportedContextUpdate`,
      'needs a broker that takes other contexts',
      async () => assertError(await move(await made('queue/sync')), 400, 'UnsupportedContextUpdate'),
    );
    outcome(stage, `PATCH ${path}/:id 400 InvalidTransfer`, 'goes one way only', async () => {
      assertError(await move(await made('database/sync'), 'nowhere'), 400, 'InvalidTransfer');
      const own = await provision(stage, shop.plan('database/sync'));
      assertError(await move(own, platform.id), 400, 'InvalidTransfer');
      assertStatus(await move(own), 200);
    });
    outcome(stage, `PATCH ${path}/:id 400 UnsupportedPlatform`, 'needs a plan for the service manager', async () => {
      const plans = [{ id: 'k8s', name: 'k8s', description: 'd', metadata: { supportedPlatforms: ['kubernetes'] } }];
      const services = [{ id: 'k', name: 'k', description: 'd', bindable: true, allow_context_updates: true, plans }];
      const narrow = await openShop(stage, { catalog: { services } });
      await openPlan(stage, narrow.plan('k/k8s'));
      const id = await provisionOverOsb(stage, narrow, { platform, planId: narrow.plan('k/k8s') });
      assertError(await move(id), 400, 'UnsupportedPlatform');
    });
    test('needs a name that is free', async () => {
      const id = await made('database/sync');
      const name = String((await stage.get(`${path}/${id}`)).body['name']);
      await provision(stage, shop.plan('queue/sync'), { name });
      assertError(await move(id), 409, 'Conflict');
    });
    test('that the broker refuses does not happen', async () => {
      const id = await made('database/sync');
      shop.broker.misbehave({ type: 'answer', status: 400, body: { description: 'stay' } }, { method: 'PATCH' });
      assertError(await move(id), 502, 'BrokerError', /stay/);
      assert.equal((await stage.get(`${path}/${id}`)).body['platform_id'], platform.id);
    });
  });
}
