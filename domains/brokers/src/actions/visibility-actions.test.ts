import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { SmError } from '../errors.ts';
import { landscapeVisibilityId, ownPlatformId } from '../kinds/index.ts';
import { seedBroker, seedPlatform, seedTenant } from '../test-registry.ts';
import { lastPayload, notifiedEvents, startBrokerActions, type TestBrokerActions } from './test-broker-actions.ts';

const tenant = 'service-manager';
const smError = (code: string, status: number) => (error: unknown) =>
  error instanceof SmError && error.code === code && error.status === status;

async function startWithPlan() {
  const world = await startBrokerActions();
  const { registry } = world;
  for (const id of ['k1', 'k2']) await seedPlatform(registry, { id });
  const { plans, broker } = await seedBroker(registry);
  const [small, large] = plans.map(({ id }) => id);
  return Object.assign(world, { small: small ?? '', large: large ?? '', brokerId: broker.id });
}

const visibilities = ({ registry }: TestBrokerActions) =>
  [...registry.visibilities.all()].map(({ spec }) => spec.platformId ?? '*');

test('a new visibility notifies its platform, or all', async () => {
  await using world = await startWithPlan();
  const { registry, actions, small, large, brokerId } = world;
  const row = await actions.visibilities.create({ tenant, planId: small, platformId: 'k1', correlationId: 'c' });
  assert.equal(row.status.ready, true);
  assert.equal(row.status.observedGeneration, row.generation);
  await actions.visibilities.create({ tenant, planId: large, platformId: null });
  assert.deepEqual(notifiedEvents(registry), [
    ['CREATED', 'visibilities', 'k1'],
    ['CREATED', 'visibilities', '*'],
  ]);
  const { resource, additional } = lastPayload(registry)['new'] as { resource: JsonObject; additional: JsonObject };
  assert.equal(resource['service_plan_id'], large);
  assert.equal(resource['platform_id'], '');
  assert.equal(additional['broker_id'], brokerId);
  assert.equal((additional['service_plan'] as JsonObject)['catalog_id'], 'large-id');
});

describe('a visibility is rejected', () => {
  test('with 400 for a plan or platform that is not there', async () => {
    await using world = await startWithPlan();
    const { actions, small } = world;
    await assert.rejects(actions.visibilities.create({ tenant, planId: 'none' }), smError('BadRequest', 400));
    await assert.rejects(
      actions.visibilities.create({ tenant, planId: small, platformId: 'none' }),
      smError('BadRequest', 400),
    );
  });

  test('with 409 as a plain duplicate, naming the other', async () => {
    await using world = await startWithPlan();
    const { actions, small } = world;
    const { id } = await actions.visibilities.create({ tenant, planId: small, platformId: 'k1' });
    await assert.rejects(
      actions.visibilities.create({ tenant, planId: small, platformId: 'k1' }),
      error => smError('Conflict', 409)(error) && (error as SmError).facts.ids?.[0] === id,
    );
    await assert.rejects(
      actions.visibilities.create({ tenant, id, planId: small, platformId: 'k2' }),
      smError('Conflict', 409),
    );
  });

  test('with 400 when one for every platform meets one for some, either way round', async () => {
    await using world = await startWithPlan();
    const { actions, small, large } = world;
    await actions.visibilities.create({ tenant, planId: small });
    await assert.rejects(
      actions.visibilities.create({ tenant, planId: small, platformId: 'k1' }),
      smError('BadRequest', 400),
    );
    await assert.rejects(actions.visibilities.create({ tenant, planId: small }), smError('Conflict', 409));
    const one = await actions.visibilities.create({ tenant, planId: large, platformId: 'k1' });
    await actions.visibilities.create({ tenant, planId: large, platformId: 'k2' });
    await assert.rejects(actions.visibilities.update(one, { platformId: null }), smError('BadRequest', 400));
    await assert.rejects(actions.visibilities.update(one, { platformId: 'k2' }), smError('Conflict', 409));
  });

  test('also when both come at once', async () => {
    await using world = await startWithPlan();
    const { actions, small } = world;
    const outcomes = await Promise.allSettled(
      [null, 'k1'].map(platformId => actions.visibilities.create({ tenant, planId: small, platformId })),
    );
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected'],
    );
    assert.deepEqual(visibilities(world), ['*']);
  });

  test('when a tenant would help itself to a plan of the landscape', async () => {
    await using world = await startWithPlan();
    const { actions, small, client, registry } = world;
    await seedTenant(client, 'acme');
    await seedPlatform(registry, { id: 'acme-k8s', tenant: 'acme' });
    const wanted = { tenant: 'acme', planId: small, platformId: 'acme-k8s' };
    await assert.rejects(actions.visibilities.create(wanted), smError('BadRequest', 400));
    await actions.visibilities.create({ ...wanted, tenant });
  });
});

test('what the landscape opens to the service manager itself leaves room for every platform', async () => {
  await using world = await startWithPlan();
  const { registry, actions, small, large } = world;
  await seedPlatform(registry, { id: ownPlatformId });
  const own = { tenant, platformId: ownPlatformId };
  const row = await actions.visibilities.create({ ...own, id: landscapeVisibilityId('1'), planId: small });
  await actions.visibilities.create({ tenant, planId: small });
  await actions.visibilities.update(row, { labels: () => ({ tenant: ['acme'] }) });
  await actions.visibilities.create({ ...own, planId: large });
  await assert.rejects(actions.visibilities.create({ tenant, planId: large }), smError('BadRequest', 400));
});

describe('an update', () => {
  test('of the platform is DELETED for the old and CREATED for the new', async () => {
    await using world = await startWithPlan();
    const { registry, actions, small } = world;
    const row = await actions.visibilities.create({ tenant, planId: small, platformId: 'k1' });
    const after = await actions.visibilities.update(row, { platformId: 'k2' });
    assert.equal(after.status.observedGeneration, after.generation);
    await actions.visibilities.update(row, { platformId: null });
    assert.deepEqual(notifiedEvents(registry).slice(1), [
      ['DELETED', 'visibilities', 'k1'],
      ['CREATED', 'visibilities', 'k2'],
      ['DELETED', 'visibilities', 'k2'],
      ['CREATED', 'visibilities', '*'],
    ]);
  });

  test('of labels or plan is MODIFIED, and of nothing sends no notification', async () => {
    await using world = await startWithPlan();
    const { registry, actions, small, large } = world;
    const labels = { organization_guid: ['o1', 'o2'] };
    const row = await actions.visibilities.create({ tenant, planId: small, platformId: 'k1', labels });
    await actions.visibilities.update(row, {
      labels: current => ({ organization_guid: [...(current['organization_guid'] ?? []).slice(1), 'o3'] }),
    });
    assert.deepEqual(lastPayload(registry)['label_changes'], [
      { op: 'add', key: 'organization_guid', values: ['o3'] },
      { op: 'remove_values', key: 'organization_guid', values: ['o1'] },
    ]);
    await actions.visibilities.update(row, { planId: large });
    const { old, new: now } = lastPayload(registry) as Record<string, { additional: { service_plan: JsonObject } }>;
    assert.deepEqual([old?.additional.service_plan['name'], now?.additional.service_plan['name']], ['small', 'large']);
    await actions.visibilities.update(row, {});
    assert.deepEqual(
      notifiedEvents(registry).map(([type]) => type),
      ['CREATED', 'MODIFIED', 'MODIFIED'],
    );
  });
});

test('a removal notifies the platforms that had the visibility', async () => {
  await using world = await startWithPlan();
  const { registry, actions, small } = world;
  const row = await actions.visibilities.create({ tenant, planId: small, platformId: 'k1' });
  await actions.visibilities.remove(row, [], { correlationId: 'c' });
  assert.equal(registry.visibilities.size, 0);
  assert.deepEqual(notifiedEvents(registry).at(-1), ['DELETED', 'visibilities', 'k1']);
  await assert.rejects(actions.visibilities.remove(row), smError('NotFound', 404));
});
