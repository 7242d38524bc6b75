import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type BrokerCatalog, defaultCatalog } from '../../../../domains/brokers/src/test-broker/default-catalog.ts';
import { assertError, assertStatus, at, type Body, itemsOf, textAt, withQuery } from '../support/http.ts';
import { outcome } from '../support/outcomes.ts';
import { openPlan, openShop, provision, type Shop } from '../support/shop.ts';
import type { Stage } from '../support/stage.ts';

/** Sections 5.3, 5.4, 5.9 and 15.1: offerings and plans. */
export function catalog(stage: Stage): void {
  describe('offerings and plans', () => {
    reading(stage);
    labelling(stage);
    resync(stage);
    referencePlans(stage);
  });
}

function reading(stage: Stage): void {
  let shop: Shop;
  before(async () => {
    shop = await openShop(stage);
  });
  outcome(
    stage,
    ['GET /v1/service_offerings 200', 'GET /v1/service_offerings/:id 200'],
    'show what the broker says',
    async () => {
      const read = await stage.get(`/v1/service_offerings/${shop.offerings['database']}`);
      assertStatus(read, 200);
      const { body } = read;
      assert.equal(body['name'], body['catalog_name']);
      assert.equal(body['catalog_id'], `${String(body['name'])}-id`);
      assert.deepEqual(
        [
          'bindable',
          'instances_retrievable',
          'bindings_retrievable',
          'plan_updateable',
          'allow_context_updates',
          'ready',
        ].map(field => body[field]),
        [true, true, true, true, true, true],
      );
      assert.deepEqual([body['broker_id'], body['tags']], [shop.id, ['relational']]);
      assert.deepEqual(at(body, 'metadata', 'vendorField'), { kept: true });
      const listed = await stage.get(withQuery('/v1/service_offerings', { fieldQuery: `broker_id eq '${shop.id}'` }));
      assert.equal(listed.body['num_items'], 2);
    },
  );
  outcome(stage, ['GET /v1/service_plans 200', 'GET /v1/service_plans/:id 200'], 'of plans too', async () => {
    const { body } = await stage.get(`/v1/service_plans/${shop.plan('database/async')}`);
    assert.deepEqual(
      ['name', 'catalog_name', 'free', 'maximum_polling_duration', 'service_offering_id'].map(field => body[field]),
      ['async', 'async', false, 600, shop.offerings['database']],
    );
    const { body: plain } = await stage.get(`/v1/service_plans/${shop.plan('queue/sync')}`);
    assert.deepEqual([plain['free'], plain['bindable'], plain['plan_updateable']], [true, undefined, undefined]);
    const { body: unbindable } = await stage.get(`/v1/service_plans/${shop.plan('queue/unbindable')}`);
    assert.equal(unbindable['bindable'], false);
    const listed = await stage.get(
      withQuery('/v1/service_plans', { fieldQuery: `service_offering_id eq '${shop.offerings['queue']}'` }),
    );
    assert.equal(listed.body['num_items'], 3);
  });
  for (const [type, noun] of [
    ['service_offerings', 'service offering'],
    ['service_plans', 'service plan'],
  ] as const) {
    const path = `/v1/${type}` as const;
    outcome(stage, `GET ${path}/:id 404 NotFound`, `${type} that are not there are not found`, async () =>
      assertError(await stage.get(`${path}/nothing`), 404, 'NotFound', new RegExp(`could not find such ${noun}`)),
    );
    outcome(
      stage,
      [
        `POST ${path} 405 MethodNotAllowed`,
        `DELETE ${path} 405 MethodNotAllowed`,
        `DELETE ${path}/:id 405 MethodNotAllowed`,
      ],
      `${type} are neither made nor deleted by themselves`,
      async () => {
        assertError(await stage.post(path, {}), 405, 'MethodNotAllowed');
        assertError(await stage.delete(path), 405, 'MethodNotAllowed');
        assertError(await stage.delete(`${path}/x`), 405, 'MethodNotAllowed');
      },
    );
  }
}

function labelling(stage: Stage): void {
  let shop: Shop;
  before(async () => {
    shop = await openShop(stage);
  });
  const targets = [
    ['service_offerings', () => shop.offerings['database'] ?? ''],
    ['service_plans', () => shop.plan('database/sync')],
  ] as const;
  for (const [type, idOf] of targets) {
    const path = `/v1/${type}` as const;
    outcome(
      stage,
      [`PATCH ${path}/:id 200`, `PATCH ${path}/:id 400 BadRequest`],
      `${type}: only labels can be changed`,
      async () => {
        const labels = [{ op: 'add', key: 'team', values: ['a'] }];
        const changed = await stage.patch(`${path}/${idOf()}`, { labels });
        assertStatus(changed, 200);
        assert.deepEqual(changed.body['labels'], { team: ['a'] });
        assert.equal(textAt(changed, 'last_operation', 'type'), 'update');
        assertError(
          await stage.patch(`${path}/${idOf()}`, { labels, name: 'x' }),
          400,
          'BadRequest',
          /Only labels can be patched/,
        );
        assertStatus(await stage.patch(`/v1/service_brokers/${shop.id}`, {}), 200);
        assert.deepEqual(
          (await stage.get(`${path}/${idOf()}`)).body['labels'],
          { team: ['a'] },
          'a resync keeps labels',
        );
      },
    );
    outcome(stage, `PATCH ${path}/:id 404 NotFound`, `${type} that are not there have no labels`, async () =>
      assertError(await stage.patch(`${path}/nothing`, { labels: [] }), 404, 'NotFound'),
    );
    outcome(stage, `GET ${path}/:id/operations/:op 200`, `${type} have operations`, async () => {
      const changed = await stage.patch(`${path}/${idOf()}`, { labels: [] });
      assertStatus(await stage.get(`${path}/${idOf()}/operations/${textAt(changed, 'last_operation', 'id')}`), 200);
    });
  }
}

type Offering = BrokerCatalog['services'][number];

function resync(stage: Stage): void {
  const open = async (): Promise<{ shop: Shop; database: Offering; queue: Offering }> => {
    const services = defaultCatalog(stage.name('')).services;
    const shop = await openShop(stage, { catalog: { services } });
    const [database, queue] = services as [Offering, Offering];
    return { shop, database, queue };
  };
  const planIds = async (shop: Shop, offering: string): Promise<Record<string, string>> => {
    const offerings = itemsOf(
      await stage.get(
        withQuery('/v1/service_offerings', { fieldQuery: `broker_id eq '${shop.id}' and name eq '${offering}'` }),
      ),
    );
    const plans = itemsOf(
      await stage.get(
        withQuery('/v1/service_plans', { fieldQuery: `service_offering_id eq '${offerings[0]?.['id']}'` }),
      ),
    );
    return Object.fromEntries(plans.map(plan => [String(plan['name']), String(plan['id'])]));
  };
  const patch = (shop: Shop, body: Body = {}) => stage.patch(`/v1/service_brokers/${shop.id}`, body);

  test('keeps the ids and visibilities of what is still there, adds and removes the rest', async () => {
    const { shop, database, queue } = await open();
    const before = await planIds(shop, queue.name);
    const visibility = await openPlan(stage, before['sync'] ?? '');
    const plans = [
      { ...queue.plans[0], name: 'renamed', description: 'changed' },
      { id: 'brand-new', name: 'sync', description: 'has the name of another now' },
    ] as Offering['plans'];
    shop.broker.setCatalog({ services: [database, { ...queue, plans }] });
    assertStatus(await patch(shop), 200);
    const after = await planIds(shop, queue.name);
    assert.deepEqual(Object.keys(after).toSorted(), ['renamed', 'sync']);
    assert.equal(after['renamed'], before['sync']);
    assert.notEqual(after['sync'], before['sync']);
    assertStatus(await stage.get(`/v1/visibilities/${visibility}`), 200);
    assertStatus(await stage.get(`/v1/service_plans/${before['async']}`), 404);
  });
  test('removes an offering that is gone', async () => {
    const { shop, database } = await open();
    shop.broker.setCatalog({ services: [database] });
    assertStatus(await patch(shop), 200);
    assertStatus(await stage.get(`/v1/service_offerings/${(await planIds(shop, database.name))['x'] ?? 'x'}`), 404);
    const left = await stage.get(withQuery('/v1/service_offerings', { fieldQuery: `broker_id eq '${shop.id}'` }));
    assert.equal(left.body['num_items'], 1);
  });
  outcome(
    stage,
    'PATCH /v1/service_brokers/:id 409 ExistingReferenceEntity',
    'rolls back as a whole when a removed plan has instances',
    async () => {
      const { shop, database, queue } = await open();
      const ids = await planIds(shop, queue.name);
      const instance = await provision(stage, ids['sync'] ?? '');
      shop.broker.setCatalog({ services: [{ ...database, description: 'lost' }] });
      const answer = await patch(shop, { description: 'lost', name: 'lost' });
      assertError(answer, 409, 'ExistingReferenceEntity');
      assert.deepEqual(answer.body['ids'], [instance]);
      const broker = await stage.get(`/v1/service_brokers/${shop.id}`);
      assert.deepEqual([broker.body['name'], broker.body['description']], [shop.name, '']);
      assert.deepEqual(await planIds(shop, queue.name), ids);
      const offering = await stage.get(
        withQuery('/v1/service_offerings', { fieldQuery: `name eq '${database.name}'` }),
      );
      assert.equal(itemsOf(offering)[0]?.['description'], 'A database.');
    },
  );
  test('accepts the same plan id under two offerings', async () => {
    const { shop, database, queue } = await open();
    const plan = { id: 'same', name: 'same', description: 'd' };
    shop.broker.setCatalog({
      services: [
        { ...database, plans: [plan] },
        { ...queue, plans: [plan] },
      ],
    });
    assertStatus(await patch(shop), 200);
    const plans = await stage.get(withQuery('/v1/service_plans', { fieldQuery: "catalog_id eq 'same'" }));
    assert.equal(plans.body['num_items'], 2);
  });
  test('does not take sharing from a plan that has shared instances', async () => {
    const { shop, database, queue } = await open();
    const ids = await planIds(shop, database.name);
    const instance = await provision(stage, ids['shared'] ?? '');
    assertStatus(await stage.patch(`/v1/service_instances/${instance}`, { shared: true }), 200);
    const plans = database.plans.map(plan => ({ ...plan, metadata: {} }));
    shop.broker.setCatalog({ services: [{ ...database, plans }, queue] });
    const answer = await patch(shop);
    assertError(answer, 400, 'BadRequest', /shar/);
    assert.deepEqual(answer.body['ids'], [instance]);
  });
}

function referencePlans(stage: Stage): void {
  const referencePlan = async (shop: Shop): Promise<Body | undefined> => {
    const query = `name eq 'reference-instance' and service_offering_id eq '${shop.offerings['database']}'`;
    return itemsOf(await stage.get(withQuery('/v1/service_plans', { fieldQuery: query })))[0];
  };
  test('an offering with a plan that can be shared has one reference plan, which stays the same', async () => {
    const shop = await openShop(stage);
    const plan = await referencePlan(shop);
    assert.ok(plan);
    assert.deepEqual([plan['free'], plan['bindable'], plan['plan_updateable']], [true, true, false]);
    assert.equal(plan['id'], plan['catalog_id']);
    assert.deepEqual(at(plan, 'metadata', 'supportedPlatforms'), []);
    const properties = at(plan, 'schemas', 'service_instance', 'create', 'parameters', 'properties') as Body;
    assert.deepEqual(Object.keys(properties).toSorted(), ['referenced_instance_id', 'selectors']);
    assertStatus(await stage.patch(`/v1/service_brokers/${shop.id}`, {}), 200);
    assert.equal((await referencePlan(shop))?.['id'], plan['id']);
  });
  test('it goes with the last plan that can be shared', async () => {
    const services = defaultCatalog(stage.name('')).services;
    const shop = await openShop(stage, { catalog: { services } });
    const found = itemsOf(
      await stage.get(withQuery('/v1/service_offerings', { fieldQuery: `broker_id eq '${shop.id}'` })),
    );
    const offering = found.find(({ name }) => String(name).startsWith('database'));
    const plansQuery = withQuery('/v1/service_plans', {
      fieldQuery: `name eq 'reference-instance' and service_offering_id eq '${offering?.['id']}'`,
    });
    assert.equal((await stage.get(plansQuery)).body['num_items'], 1);
    const plain = services.map(service => ({
      ...service,
      plans: service.plans.filter(({ name }) => name !== 'shared'),
    }));
    shop.broker.setCatalog({ services: plain });
    assertStatus(await stage.patch(`/v1/service_brokers/${shop.id}`, {}), 200);
    assert.equal((await stage.get(plansQuery)).body['num_items'], 0);
  });
}
