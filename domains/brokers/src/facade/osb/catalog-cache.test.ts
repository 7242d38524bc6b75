import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { filterCatalog } from '../../model/catalog/filter-catalog.ts';
import { isPlanVisible, visiblePlans } from '../../model/catalog/is-plan-visible.ts';
import { type Registry, removeRow, updateRow } from '../../model/rows.ts';
import {
  seedBroker,
  seedOffering,
  seedPlan,
  seedPlatform,
  seedTenant,
  seedVisibility,
  startTestRegistry,
} from '../../test-registry.ts';
import { CatalogCache } from './catalog-cache.ts';

interface ShownService extends JsonObject {
  id: string;
  plans: { id: string; metadata: JsonObject }[];
}

const parse = (bytes: Buffer) => JSON.parse(bytes.toString()) as { services: ShownService[] };
const shown = (bytes: Buffer) => parse(bytes).services.map(({ id, plans }) => [id, plans.map(plan => plan.id)]);

const catalog = [
  {
    id: 'pg-id',
    name: 'pg',
    vendor: { kept: null },
    metadata: { displayName: 'PG' },
    plans: [
      { id: 'small-id', name: 'small', extension: [1] },
      { id: 'large-id', name: 'large', metadata: null },
    ],
  },
  { id: 'mq-id', name: 'mq', plans: [{ id: 'mq-small-id', name: 'small' }] },
];

async function seedPlatforms(registry: Registry) {
  const { broker, plans } = await seedBroker(registry, { id: 'b', catalog });
  const [small, large, mq] = plans;
  assert.ok(small && large && mq);
  return { broker, small, large, mq };
}

describe('the catalog of a platform', () => {
  test('has the plans that visibilities give it, whole, with our ids', async () => {
    await using test = await startTestRegistry();
    const { registry } = test;
    const { broker, small, large, mq } = await seedPlatforms(registry);
    const k1 = await seedPlatform(registry, { id: 'k1' });
    const k2 = await seedPlatform(registry, { id: 'k2' });
    await seedVisibility(registry, { spec: { planId: small.id, platformId: 'k1' } });
    await seedVisibility(registry, { spec: { planId: mq.id } });
    assert.deepEqual(shown(filterCatalog(registry, broker, k1)), [
      ['pg-id', ['small-id']],
      ['mq-id', ['mq-small-id']],
    ]);
    assert.deepEqual(shown(filterCatalog(registry, broker, k2)), [['mq-id', ['mq-small-id']]]);
    const [pg] = parse(filterCatalog(registry, broker, k1)).services;
    assert.deepEqual(pg, {
      ...catalog[0],
      metadata: { displayName: 'PG', sm_offering_id: small.spec.offeringId },
      plans: [{ id: 'small-id', name: 'small', extension: [1], metadata: { sm_plan_id: small.id } }],
    });
    assert.deepEqual(
      visiblePlans(registry, k1)
        .map(({ id }) => id)
        .sort(),
      [small.id, mq.id].sort(),
    );
    assert.ok(!isPlanVisible(registry, large, k1));
  });

  test('of a Cloud Foundry has all plans that support it, without any visibility', async () => {
    await using test = await startTestRegistry();
    const { registry } = test;
    const { broker, small } = await seedPlatforms(registry);
    const spec = { ...small.spec, metadata: { supportedPlatforms: ['kubernetes'] } };
    await registry.commit([updateRow({ table: 'plans', row: small, spec })]);
    const cf = await seedPlatform(registry, { spec: { type: 'cloudfoundry' } });
    assert.deepEqual(shown(filterCatalog(registry, broker, cf)), [
      ['pg-id', ['large-id']],
      ['mq-id', ['mq-small-id']],
    ]);
    assert.equal(visiblePlans(registry, cf).length, 2);
  });
});

describe('on Cloud Foundry a plan can be used', () => {
  const cases = [
    { why: 'by all when it is public', grant: {}, guid: 'o1', expected: true },
    {
      why: 'by all when its platform has it without labels',
      grant: { platformId: 'cf' },
      guid: undefined,
      expected: true,
    },
    {
      why: 'by an organization that is named',
      grant: { platformId: 'cf', labels: { organization_guid: ['o0', 'o1'] } },
      guid: 'o1',
      expected: true,
    },
    {
      why: 'not by another organization',
      grant: { platformId: 'cf', labels: { organization_guid: ['o0'] } },
      guid: 'o1',
      expected: false,
    },
    {
      why: 'not by an unrelated change',
      grant: { platformId: 'cf', labels: { organization_guid: ['o0'] } },
      guid: undefined,
      expected: false,
    },
    {
      why: 'not on another platform that has an organization of that name',
      grant: { platformId: 'cf2', labels: { organization_guid: ['o1'] } },
      guid: 'o1',
      expected: false,
    },
  ] as const;
  for (const { why, grant, guid, expected } of cases) {
    test(why, async () => {
      await using test = await startTestRegistry();
      const { registry } = test;
      const plan = await seedPlan(registry);
      const cf = await seedPlatform(registry, { id: 'cf', spec: { type: 'cloudfoundry' } });
      await seedVisibility(registry, { spec: { planId: plan.id, ...structuredClone<object>(grant) } });
      const options = guid === undefined ? {} : { organizationGuid: guid };
      assert.equal(isPlanVisible(registry, plan, cf, options), expected);
    });
  }
});

test('plans of a tenant are for its platforms, and tenants cannot grant what is not theirs', async () => {
  await using test = await startTestRegistry();
  const { registry, client } = test;
  for (const tenant of ['acme', 'other']) await seedTenant(client, tenant);
  const acme = await seedPlatform(registry, { tenant: 'acme' });
  const other = await seedPlatform(registry, { tenant: 'other' });
  const theirs = await seedPlan(registry, { tenant: 'acme' });
  const global = await seedPlan(registry);
  await seedVisibility(registry, { tenant: 'acme', spec: { planId: theirs.id } });
  await seedVisibility(registry, { tenant: 'acme', spec: { planId: global.id } });
  assert.deepEqual(
    [acme, other].map(platform => isPlanVisible(registry, theirs, platform)),
    [true, false],
  );
  assert.deepEqual(
    [acme, other].map(platform => isPlanVisible(registry, global, platform)),
    [false, false],
  );
  assert.deepEqual(visiblePlans(registry, acme), [theirs]);
  assert.deepEqual(visiblePlans(registry, other), []);
});

describe('kept catalogs', () => {
  test('are the same bytes until something changes, for all platforms with the same plans', async () => {
    await using test = await startTestRegistry();
    const { registry } = test;
    using views = new CatalogCache(registry);
    const { broker, small } = await seedPlatforms(registry);
    const [k1, k2] = [await seedPlatform(registry, { id: 'k1' }), await seedPlatform(registry, { id: 'k2' })];
    await seedVisibility(registry, { spec: { planId: small.id } });
    const view = views.get(broker, k1);
    assert.equal(views.get(broker, k1), view);
    assert.equal(views.get(broker, k2), view);
    assert.match(view.etag, /^".+"$/);
  });

  test('follow the broker, its offerings and plans, visibilities and the platform', async () => {
    await using test = await startTestRegistry();
    const { registry } = test;
    using views = new CatalogCache(registry);
    const { broker, small, large } = await seedPlatforms(registry);
    const platform = await seedPlatform(registry, { id: 'k1' });
    const now = () =>
      shown(views.get(registry.brokers.get('b') ?? broker, registry.platforms.get('k1') ?? platform).bytes);
    assert.deepEqual(now(), []);
    const visibility = await seedVisibility(registry, { spec: { planId: small.id, platformId: 'k1' } });
    assert.deepEqual(now(), [['pg-id', ['small-id']]]);
    await registry.commit([
      updateRow({ table: 'visibilities', row: visibility, spec: { planId: large.id, platformId: 'k1' } }),
    ]);
    assert.deepEqual(now(), [['pg-id', ['large-id']]]);
    const spec = { ...platform.spec, type: 'cloudfoundry' };
    await registry.commit([updateRow({ table: 'platforms', row: platform, spec })]);
    assert.equal(now().length, 2);
    await registry.commit([removeRow('plans', large)]);
    assert.deepEqual(now()[0], ['pg-id', ['small-id']]);
    const services = [...catalog, { id: 'new-id', name: 'new', plans: [{ id: 'new-plan-id', name: 'n' }] }];
    const offering = await seedOffering(registry, { spec: { brokerId: 'b', catalogId: 'new-id' } });
    await seedPlan(registry, { spec: { brokerId: 'b', offeringId: offering.id, catalogId: 'new-plan-id' } });
    await registry.commit([updateRow({ table: 'brokers', row: broker, status: { catalog: { services } } })]);
    assert.deepEqual(now()[2], ['new-id', ['new-plan-id']]);
  });

  test('do not care about the connections of a platform', async () => {
    await using test = await startTestRegistry();
    const { registry } = test;
    using views = new CatalogCache(registry);
    const { broker } = await seedPlatforms(registry);
    const platform = await seedPlatform(registry, { id: 'k1' });
    const view = views.get(broker, platform);
    await registry.commit([updateRow({ table: 'platforms', row: platform, status: { isConnected: true } })]);
    assert.equal(views.get(broker, registry.platforms.get('k1') ?? platform), view);
  });
});
