import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { SmError } from '../../errors.ts';
import type { InstanceRow, OfferingRow, PlanRow, RegistryWrite, VisibilityRow } from '../rows.ts';
import { parseCatalog } from './parse-catalog.ts';
import { planCatalogSync } from './plan-catalog-sync.ts';
import { rawCatalog, rawOffering, rawPlan } from './test-catalog.ts';

const sharing = { metadata: { supportsInstanceSharing: true } };

/** Applies catalogs one after the other to rows of its own. */
function createWorld() {
  const offerings = new Map<string, OfferingRow>();
  const plans = new Map<string, PlanRow>();
  const world = {
    offerings,
    plans,
    visibilities: [] as VisibilityRow[],
    instances: [] as InstanceRow[],
    sync(catalog: JsonObject) {
      const result = planCatalogSync({
        broker: { id: 'b', tenant: 't', name: 'broker' },
        catalog: parseCatalog(catalog),
        offerings: offerings.values(),
        plans: plans.values(),
        visibilitiesOfPlan: id => world.visibilities.filter(({ spec }) => spec.planId === id),
        instancesOfPlan: id => world.instances.filter(({ spec }) => spec.planId === id),
        newId: () => `id-${++ids}`,
        now: 'now',
      });
      for (const write of result.writes) apply(world, write);
      return result;
    },
  };
  let ids = 0;
  return world;
}

function apply(world: ReturnType<typeof createWorld>, write: RegistryWrite): void {
  if (!('table' in write)) return;
  const tables: Partial<Record<string, Map<string, unknown>>> = { offerings: world.offerings, plans: world.plans };
  const table = tables[write.table];
  if (write.type === 'create') table?.set(write.id, { id: write.id, spec: write.spec, status: write.status });
  if (write.type === 'update') table?.set(write.row.id, { ...write.row, spec: write.spec });
  if (write.type === 'remove') table?.delete(write.row.id);
}

const idOf = (rows: ReadonlyMap<string, { id: string; spec: { catalogId: string } }>, catalogId: string) =>
  [...rows.values()].find(({ spec }) => spec.catalogId === catalogId)?.id;
const rowAbout = (id: string, planId: string, spec: JsonObject = {}) => ({ id, spec: { planId, ...spec } }) as never;
const referenceOf = ({ plans }: ReturnType<typeof createWorld>) =>
  [...plans.values()].find(({ spec }) => spec.isReference);

test('a first catalog makes offerings and plans of the tenant of the broker', () => {
  const world = createWorld();
  const { writes } = world.sync(rawCatalog(rawOffering('o', [rawPlan('p'), rawPlan('q')])));
  assert.deepEqual(
    writes.map(write => ('table' in write ? [write.type, write.table, 'tenant' in write && write.tenant] : write)),
    [
      ['create', 'offerings', 't'],
      ['create', 'plans', 't'],
      ['create', 'plans', 't'],
    ],
  );
  assert.equal(world.plans.get(idOf(world.plans, 'p') ?? '')?.spec.offeringId, idOf(world.offerings, 'o'));
});

test('the same catalog again writes nothing', () => {
  const world = createWorld();
  const catalog = rawCatalog(rawOffering('o', [rawPlan('p', sharing)]));
  const first = world.sync(catalog);
  const second = world.sync(catalog);
  assert.deepEqual(second.writes, []);
  assert.deepEqual(second.catalog, first.catalog);
});

test('what differs is updated in place: ids and labels survive', () => {
  const world = createWorld();
  world.sync(rawCatalog(rawOffering('o', [rawPlan('p'), rawPlan('q')])));
  const id = idOf(world.plans, 'p') ?? '';
  const row = world.plans.get(id);
  assert.ok(row);
  world.plans.set(id, { ...row, spec: { ...row.spec, labels: { tier: ['gold'] } } });
  const { writes } = world.sync(rawCatalog(rawOffering('o', [rawPlan('p', { free: false }), rawPlan('q')])));
  assert.equal(writes.length, 1);
  assert.deepEqual(world.plans.get(id)?.spec.labels, { tier: ['gold'] });
  assert.equal(world.plans.get(id)?.spec.free, false);
});

test('what the catalog no longer has goes, with its visibilities', () => {
  const world = createWorld();
  world.sync(rawCatalog(rawOffering('o', [rawPlan('p')]), rawOffering('gone', [rawPlan('g')])));
  world.visibilities.push(rowAbout('v', idOf(world.plans, 'g') ?? ''), rowAbout('w', idOf(world.plans, 'p') ?? ''));
  const { writes } = world.sync(rawCatalog(rawOffering('o', [rawPlan('p')])));
  assert.deepEqual(
    writes.map(write => ('row' in write ? [write.type, write.table] : write)),
    [
      ['remove', 'visibilities'],
      ['remove', 'plans'],
      ['remove', 'offerings'],
    ],
  );
  assert.equal(world.offerings.size, 1);
});

test('a plan id that two offerings have is two plans', () => {
  const world = createWorld();
  const both = rawCatalog(rawOffering('a', [rawPlan('p')]), rawOffering('b', [rawPlan('p')]));
  world.sync(both);
  assert.equal(world.plans.size, 2);
  assert.deepEqual(world.sync(both).writes, []);
  world.sync(rawCatalog(rawOffering('b', [rawPlan('p')])));
  assert.deepEqual(
    [...world.plans.values()].map(({ spec }) => spec.offeringId),
    [idOf(world.offerings, 'b')],
  );
});

describe('a plan with instances', () => {
  test('cannot go: 409 names plan and instances', () => {
    const world = createWorld();
    world.sync(rawCatalog(rawOffering('o', [rawPlan('p'), rawPlan('q')])));
    world.instances.push(rowAbout('i2', idOf(world.plans, 'q') ?? ''), rowAbout('i1', idOf(world.plans, 'q') ?? ''));
    assert.throws(
      () => world.sync(rawCatalog(rawOffering('o', [rawPlan('p')]))),
      error =>
        error instanceof SmError &&
        error.code === 'ExistingReferenceEntity' &&
        error.status === 409 &&
        error.message.includes('name-of-q') &&
        error.message.includes('i1, i2'),
    );
  });

  test('cannot stop supporting sharing while one is shared: 400', () => {
    const world = createWorld();
    world.sync(rawCatalog(rawOffering('o', [rawPlan('p', sharing)])));
    world.instances.push(rowAbout('i', idOf(world.plans, 'p') ?? '', { shared: true }));
    assert.throws(
      () => world.sync(rawCatalog(rawOffering('o', [rawPlan('p')]))),
      error => error instanceof SmError && error.code === 'BadRequest' && error.facts.ids?.[0] === 'i',
    );
  });

  test('can stop supporting sharing when none is shared', () => {
    const world = createWorld();
    world.sync(rawCatalog(rawOffering('o', [rawPlan('p', sharing)])));
    world.instances.push(rowAbout('i', idOf(world.plans, 'p') ?? ''));
    world.sync(rawCatalog(rawOffering('o', [rawPlan('p')])));
    assert.equal(world.plans.size, 1);
  });
});

describe('the reference plan', () => {
  const shared = rawCatalog(
    rawOffering('o', [rawPlan('p', sharing), rawPlan('q', sharing)]),
    rawOffering('x', [rawPlan('y')]),
  );

  test('is one per offering with a shareable plan, in the rows and in the raw catalog, with one id', () => {
    const world = createWorld();
    const { catalog, services } = world.sync(shared);
    const reference = referenceOf(world);
    assert.equal(world.plans.size, 4);
    assert.equal(reference?.id, reference?.spec.catalogId);
    assert.equal(reference?.spec.offeringId, idOf(world.offerings, 'o'));
    const raw = catalog['services'] as { plans: { id: string; name: string; free: boolean }[] }[];
    assert.deepEqual(
      raw.map(({ plans }) => plans.map(({ id }) => id)),
      [['p', 'q', reference?.id], ['y']],
    );
    assert.equal(raw[0]?.plans[2]?.name, 'reference-instance');
    assert.deepEqual(
      services.map(({ plans }) => plans.length),
      [3, 1],
    );
  });

  test('keeps its id, goes with the last shareable plan and comes back with another id', () => {
    const world = createWorld();
    world.sync(shared);
    const { id } = referenceOf(world) ?? {};
    world.sync(rawCatalog(rawOffering('o', [rawPlan('q', { ...sharing, free: false })])));
    assert.equal(referenceOf(world)?.id, id);
    world.sync(rawCatalog(rawOffering('o', [rawPlan('q')])));
    assert.equal(referenceOf(world), undefined);
    world.sync(rawCatalog(rawOffering('o', [rawPlan('q', sharing)])));
    assert.notEqual(referenceOf(world)?.id, id);
  });
});
