import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { fleetKinds } from '../kinds/index.ts';
import { startTestFleet, type TestFleet } from '../test-fleet.ts';
import { admitInstance } from './admit-instance.ts';

async function apply(fleet: TestFleet, name: string, spec: Readonly<Record<string, unknown>>): Promise<void> {
  const { apiVersion, kind, ref } = fleetKinds.instances;
  await fleet.client.create(
    { ...ref, namespace: 'default' },
    {
      apiVersion,
      kind,
      metadata: { name },
      spec: { product: 'dinosaurs', owner: 'zoe', organisation: '13640203', ...spec },
    },
  );
  await eventually(() => fleet.deps.registry.instances.get(name) !== undefined);
}

test('an instance made with kubectl is admitted like an order over REST', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure();
  await apply(fleet, 'rex', {});
  await admitInstance(fleet.deps, 'rex');
  const row = fleet.deps.registry.instances.get('rex');
  assert.deepEqual(
    [row?.tenant, row?.spec.name, row?.spec.plan, row?.spec.region],
    ['default', 'rex', 'standard.x1', 'eu-central-1'],
  );
  assert.deepEqual([row?.status.state, row?.status.clusterId], ['accepted', 'frankfurt-1']);
  assert.equal(fleet.deps.registry.ledger.used('quota/dinosaurs/org/13640203'), 1);
  await admitInstance(fleet.deps, 'rex');
  assert.equal(fleet.deps.registry.instances.get('rex')?.revision, row?.revision, 'twice changes nothing more');
});

test('an instance made with kubectl that cannot be had has failed', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure();
  const faults = {
    'bad-plan': { plan: 'magic.x1' },
    'bad-region': { region: 'nowhere' },
    'bad-product': { product: 'llamas' },
    'no-quota': { organisation: 'x', plan: 'standard.x1' },
  };
  for (const [name, spec] of Object.entries(faults)) {
    await apply(fleet, name, spec);
    await admitInstance(fleet.deps, name);
    const status = fleet.deps.registry.instances.get(name)?.status;
    assert.equal(status?.state, 'failed', name);
    assert.notEqual(status?.failedReason ?? '', '', name);
  }
  assert.equal(fleet.deps.registry.ledger.used('quota/dinosaurs/org/13640203'), 0);
});

test('an instance made with kubectl for whom REST admits nobody has failed, with the same message', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure({
    settings: { enable_deny_list: true, enable_access_list: true },
    deny_list: ['mallory'],
    access_list: ['13640203'],
  });
  for (const [name, spec, reason] of [
    ['denied', { owner: 'mallory' }, /^user 'mallory' is not authorized/],
    ['outside', { organisation: '13645369' }, /maintenance/],
  ] as const) {
    await apply(fleet, name, spec);
    await admitInstance(fleet.deps, name);
    const status = fleet.deps.registry.instances.get(name)?.status;
    assert.equal(status?.state, 'failed', name);
    assert.match(status.failedReason ?? '', reason);
  }
});
