import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  configure,
  createFleetRegistry,
  createLifecycleActions,
  createOrderActions,
  ensureFleetNamespace,
  type FleetRegistry,
  startInstanceWorkers,
} from '@chandlery/fleet';
import { fleetKinds } from '@chandlery/fleet/kinds';
import { silentLogger, systemClock } from '@chandlery/platform';
import { eventually, startTestPlane } from '@chandlery/testing';
import { type LicenceOffice, licenceExtensions } from './licence-steps.ts';

/** Decides when the test resolves it. */
class TestOffice implements LicenceOffice {
  readonly given = new Map<string, string>();
  isOpen = false;

  request(id: string): Promise<string | undefined> {
    if (this.isOpen) this.given.set(id, `licence of ${id}`);
    return Promise.resolve(this.given.get(id));
  }

  giveBack(id: string): Promise<void> {
    this.given.delete(id);
    return Promise.resolve();
  }
}

const document = {
  product: { id: 'dinosaurs', kind: 'Dinosaur' },
  settings: { dataplane_cluster_scaling_type: 'manual' },
  clusters: [
    {
      name: 'one',
      cluster_id: 'one',
      cloud_provider: 'local',
      region: 'local',
      multi_az: true,
      schedulable: true,
      dinosaur_instance_limit: 5,
      status: 'ready',
      provider_type: 'standalone',
      cluster_dns: 'apps.one.example.com',
      supported_instance_type: 'standard',
    },
  ],
  registered_users_per_organisation: [{ id: 'acme', any_user: true, max_allowed_instances: 5 }],
  dns: { type: 'none' },
  sso: { type: 'none' },
};
const ann = { username: 'ann', organisation: 'acme', accountId: undefined, isOrganisationAdmin: false };
const plain = { cloudProvider: undefined, region: undefined, multiAz: undefined, plan: undefined };

const until = (registry: FleetRegistry, id: string, state: string | undefined) =>
  registry.instances.until(id, row => row?.status.state === state, AbortSignal.timeout(10_000));

test('an instance waits for its licence, has it, and gives it back', async () => {
  const kinds = Object.values(fleetKinds).map(({ declaration }) => declaration);
  await using plane = await startTestPlane({ kinds });
  await ensureFleetNamespace(plane.client);
  await using registry = createFleetRegistry({ client: plane.client });
  await registry.synced;
  const deps = { registry, clock: systemClock, logger: silentLogger };
  await configure(deps, { document, username: 'operator' });
  const actions = { ...createOrderActions(deps), ...createLifecycleActions(deps) };
  const product = () => registry.configurations.get('dinosaurs') ?? assert.fail();
  const cluster = registry.clusters.get('dinosaurs.one') ?? assert.fail();
  await actions.reportCluster(product(), cluster, {
    conditions: [{ type: 'Ready', status: 'True', reason: '', message: '' }],
    operatorVersions: [{ version: '1.0.0-1', ready: true, productVersions: ['1.0.0'] }],
    capacity: undefined,
  });

  const office = new TestOffice();
  await using _workers = startInstanceWorkers({
    ...deps,
    extensions: licenceExtensions(office),
    adaptersOf: async () => ({ dns: undefined, sso: undefined, certificates: undefined }),
    observer: { reconciled: () => undefined, operation: () => undefined, jobDone: () => undefined },
    recordEvent: () => undefined,
  });
  const { id } = await actions.create(product(), ann, { name: 'rex', ...plain });
  await until(registry, id, 'preparing');
  office.isOpen = true;
  const row = await until(registry, id, 'provisioning');
  assert.deepEqual(row?.status.extensionData, { licence: `licence of ${id}` });
  await actions.delete(product(), ann, id);
  const deleted = { type: 'Ready', status: 'False', reason: 'Deleted', message: '' };
  const report = {
    conditions: [deleted],
    versions: { product: undefined, operator: undefined },
    routes: undefined,
    adminUrl: undefined,
  };
  await actions.reportInstances(product(), cluster, new Map([[id, report]]));
  await until(registry, id, undefined);
  await eventually(() => office.given.size === 0);
});
