import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { defaultCatalog } from '../../../../domains/brokers/src/test-broker/default-catalog.ts';
import { assertError, assertStatus, itemsOf, textAt } from '../support/http.ts';
import { outcome } from '../support/outcomes.ts';
import { brokerCredentials, openPlan, openShop, registerPlatform, type Shop, startBroker } from '../support/shop.ts';
import type { Stage } from '../support/stage.ts';
import { createTenant, createUser } from '../support/tenant.ts';

/** Section 18.1: tenants are namespaces, and users have the rights of their roles there. */
export function tenants(stage: Stage): void {
  describe('tenants', () => {
    let shop: Shop;
    let acme: { token: string };
    let reader: { token: string };
    let rival: { token: string };
    before(async () => {
      shop = await openShop(stage);
      for (const name of ['acme', 'rival']) await createTenant(stage, name);
      acme = await createUser(stage, 'acme', { name: 'owner', verbs: ['*'] });
      reader = await createUser(stage, 'acme', { name: 'reader', verbs: ['get', 'list'] });
      rival = await createUser(stage, 'rival', { name: 'owner', verbs: ['*'] });
    });
    const asAcme = () => ({ as: acme });

    test('what a user makes is in the tenant, and others do not see it', async () => {
      const created = await stage.post('/v1/platforms', { name: stage.name('p'), type: 'kubernetes' }, asAcme());
      assertStatus(created, 201);
      const address = `/v1/platforms/${textAt(created, 'id')}`;
      assertStatus(await stage.get(address, { as: reader }), 200);
      assertError(await stage.get(address, { as: rival }), 404, 'NotFound');
      assertError(await stage.patch(address, {}, { as: rival }), 404, 'NotFound');
      assertError(await stage.delete(address, { as: rival }), 404, 'NotFound');
      assert.deepEqual(itemsOf(await stage.get('/v1/platforms', { as: rival })), []);
      assert.equal(itemsOf(await stage.get('/v1/platforms?tenant=acme')).length, 1, 'the operator can look by tenant');
    });
    test('names are unique within a tenant only (deviation)', async () => {
      const body = { name: stage.name('same'), type: 'kubernetes' };
      for (const as of [acme, rival]) assertStatus(await stage.post('/v1/platforms', body, { as }), 201);
      assertError(await stage.post('/v1/platforms', body, asAcme()), 409, 'Conflict');
    });
    outcome(
      stage,
      [
        'POST /v1/platforms 403 Forbidden',
        'PATCH /v1/platforms/:id 403 Forbidden',
        'DELETE /v1/platforms/:id 403 Forbidden',
        'GET /v1/config 403 Forbidden',
      ],
      'who may only read changes nothing',
      async () => {
        const { body } = await stage.post('/v1/platforms', { name: stage.name('p'), type: 't' }, asAcme());
        const as = reader;
        assertError(await stage.post('/v1/platforms', { name: 'x', type: 't' }, { as }), 403, 'Forbidden');
        assertError(await stage.patch(`/v1/platforms/${String(body['id'])}`, {}, { as }), 403, 'Forbidden');
        assertError(await stage.delete(`/v1/platforms/${String(body['id'])}`, { as }), 403, 'Forbidden');
        assertError(await stage.get('/v1/config', asAcme()), 403, 'Forbidden');
        const elsewhere = { ...asAcme(), headers: { 'x-chandlery-tenant': 'rival' } };
        assertError(await stage.post('/v1/platforms', { name: 'x', type: 't' }, elsewhere), 403, 'Forbidden');
      },
    );
    outcome(
      stage,
      ['POST /v1/service_instances 404 NotFound', 'POST /v1/service_instances 201'],
      'a user makes instances of plans that are open to the tenant (defect 18 not copied)',
      async () => {
        const order = (plan: string) =>
          stage.post('/v1/service_instances', { name: stage.name('i'), service_plan_id: shop.plan(plan) }, asAcme());
        assertError(await order('queue/sync'), 404, 'NotFound', /could not find such service plan/);
        await openPlan(stage, shop.plan('queue/sync'));
        const created = await order('queue/sync');
        assertStatus(created, 201);
        const address = `/v1/service_instances/${textAt(created, 'id')}`;
        assertError(await stage.get(address, { as: rival }), 404, 'NotFound');
        const binding = { name: stage.name('b'), service_instance_id: textAt(created, 'id') };
        assertError(await stage.post('/v1/service_bindings', binding, { as: rival }), 404, 'NotFound');
        assertStatus(await stage.post('/v1/service_bindings', binding, asAcme()), 201);
        await openPlan(stage, shop.plan('database/sync'), { platform_id: (await registerPlatform(stage)).id });
        assertError(await order('database/sync'), 404, 'NotFound');
      },
    );
    outcome(
      stage,
      ['POST /v1/service_instances/import 403 Forbidden', 'POST /v1/service_brokers 403 Forbidden'],
      'some things are the operator’s',
      async () => {
        const imported = { id: 'x', name: 'x', service_plan_id: shop.plan('queue/sync') };
        assertError(await stage.post('/v1/service_instances/import', imported, asAcme()), 403, 'Forbidden');
        assertError(
          await stage.post('/v1/service_brokers', { name: 'x', internal: 'providers' }, asAcme()),
          403,
          'Forbidden',
        );
      },
    );
    test('a tenant’s broker is the tenant’s alone, and tells its platforms alone', async () => {
      const broker = await startBroker(stage, { catalog: defaultCatalog(stage.name('')) });
      const body = { name: stage.name('broker'), broker_url: broker.url, credentials: brokerCredentials };
      const created = await stage.post('/v1/service_brokers', body, asAcme());
      assertStatus(created, 201);
      assertStatus(await stage.get(`/v1/service_brokers/${textAt(created, 'id')}`, { as: rival }), 404);
      const seen = await stage.get('/v1/service_brokers', { as: rival });
      const ids = itemsOf(seen).map(({ id }) => id);
      assert.ok(ids.includes(shop.id), 'the landscape’s own are everybody’s to read');
      assert.ok(!ids.includes(created.body['id']));
    });
    test('a tenant that is not there is refused', async () => {
      const headers = { 'x-chandlery-tenant': 'nobody' };
      assertError(
        await stage.post('/v1/platforms', { name: stage.name('p'), type: 't' }, { headers }),
        400,
        'BadRequest',
      );
    });
  });
}
