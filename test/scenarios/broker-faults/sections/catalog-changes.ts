import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { defaultCatalog } from '../../../../domains/brokers/src/test-broker/default-catalog.ts';
import type { OsbStage, StagedBroker } from '../../../conformance/osb/support/osb-stage.ts';
import { bindBody, idsOf, provisionBody } from '../../../conformance/osb/support/requests.ts';
import { makeBinding, makeInstance } from '../support/fault-world.ts';

/** Brokers that change their catalogs so that it cannot be followed. */
export function describeCatalogChanges(stage: () => OsbStage): void {
  describe('an incompatible catalog', () => {
    let shop: StagedBroker;
    let restInstance = '';
    before(async () => {
      shop = await stage().addBroker('catalog-changes');
      restInstance = await makeInstance(stage(), { name: 'kept', planId: shop.plans.get('database-sync') ?? '' });
      const { send } = shop.target;
      assert.equal((await send('PUT', '/service_instances/kept', { body: provisionBody('sync') })).status, 201);
      const path = '/service_instances/kept/service_bindings/kept-b';
      assert.equal((await send('PUT', path, { body: bindBody('sync') })).status, 201);
    });
    const resync = () => stage().ask('PATCH', `/v1/service_brokers/${shop.id}`, { description: 'fetch the catalog' });

    const { services } = defaultCatalog();
    const broken: Readonly<Record<string, unknown>> = {
      'that is no JSON': 'garbage',
      'without services': {},
      'with services that are no list': { services: {} },
      'with a plan without an id': { services: [{ ...services[0], plans: [{ name: 'x', description: 'x' }] }] },
      'with the same id twice': { services: [services[0], services[0]] },
      'with a status of 500': undefined,
    };
    for (const [what, body] of Object.entries(broken)) {
      test(`${what} is refused, and everything stays as it was`, async () => {
        const status = body === undefined ? 500 : 200;
        shop.broker.misbehave({ type: 'answer', status, body: body ?? {} }, { path: /catalog/, times: 2 });
        const { status: refused } = await resync();
        shop.broker.behave();
        assert.ok(refused >= 400, String(refused));
        await assertAllWorks();
      });
    }

    test('that has lost a plan which instances have is refused, and they can be used and deleted', async () => {
      const [database, ...others] = services;
      assert.ok(database);
      const plans = database.plans.filter(({ name }) => name !== 'sync');
      shop.broker.setCatalog({ services: [{ ...database, plans }, ...others] });
      const { status, body } = await resync();
      assert.deepEqual([status, body['error']], [409, 'ExistingReferenceEntity']);
      await assertInView();
      const removal = `/service_instances/kept/service_bindings/kept-b?${idsOf('sync')}`;
      assert.equal((await shop.target.send('DELETE', removal)).status, 200);
      assert.equal((await shop.target.send('DELETE', `/service_instances/kept?${idsOf('sync')}`)).status, 200);
      const deleted = await stage().ask('DELETE', `/v1/service_instances/${restInstance}?async=false`);
      assert.equal(deleted.status, 200, JSON.stringify(deleted.body));
      assert.equal(shop.broker.instances.size, 0);
      assert.equal((await resync()).status, 200, 'the plan that nobody has any more may go');
      const gone = await shop.target.send('PUT', '/service_instances/late', { body: provisionBody('sync') });
      assert.equal(gone.status, 400, gone.text);
    });

    async function assertInView(): Promise<void> {
      for (const id of ['kept', restInstance])
        assert.equal((await stage().ask('GET', `/v1/service_instances/${id}`)).status, 200);
    }

    /** What is there is shown, and new things can be made. */
    async function assertAllWorks(): Promise<void> {
      await assertInView();
      const binding = await makeBinding(stage(), 'probe', restInstance);
      const removed = await stage().ask('DELETE', `/v1/service_bindings/${binding}?async=false`);
      assert.equal(removed.status, 200, JSON.stringify(removed.body));
      const catalog = await shop.target.send('GET', '/catalog');
      assert.equal((catalog.body?.['services'] as unknown[]).length, 2);
    }
  });
}
