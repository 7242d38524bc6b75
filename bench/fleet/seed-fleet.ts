import { createFleetRegistry } from '@chandlery/fleet';
import { fleetCluster, fleetKinds, fleetNamespace } from '@chandlery/fleet/kinds';
import { clusterScope, organisationScope, unitName } from '../../domains/fleet/src/model/scopes.ts';
import { createRow, type FleetWrite } from '../../domains/fleet/src/registry/fleet-registry.ts';
import { openDataFolder } from '../../test/scenarios/many-instances/support/open-data-folder.ts';
import { clusterId, type FleetSize, organisationId, provider, regionOf } from './fleet-document.ts';

const batchSize = 500;
const product = 'dinosaurs';

/** The id of the instance of a number: it looks like those that the fleet manager gives. */
export const instanceId = (number: number): string => `seed${String(number).padStart(16, '0')}`;

/** Writes instances that are ready straight into the store of a landscape that does not run. */
export async function seedFleet(dataDir: string, size: FleetSize): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const kinds = Object.values(fleetKinds).map(({ declaration }) => declaration);
  const client = await openDataFolder(dataDir, { cluster: fleetCluster, kinds }, stack);
  const registry = stack.use(createFleetRegistry({ client }));
  await registry.synced;
  for (let start = 0; start < size.instances; start += batchSize) {
    const count = Math.min(batchSize, size.instances - start);
    await registry.commit(Array.from({ length: count }, (_, index) => instanceOf(start + index, size)));
  }
}

function instanceOf(number: number, size: FleetSize): FleetWrite {
  const { perCluster } = size;
  const at = Math.floor(number / perCluster);
  const [cluster, organisation] = [clusterId(at), organisationId(at)];
  const unit = number % perCluster;
  return createRow({
    table: 'instances',
    id: instanceId(number),
    tenant: fleetNamespace,
    spec: {
      product,
      name: `dino-${number}`,
      owner: `user-${unit}`,
      organisation,
      cloudProvider: provider,
      region: regionOf(at, size),
      multiAz: true,
      plan: 'standard.x1',
    },
    status: {
      state: 'ready',
      instanceType: 'standard',
      sizeId: 'x1',
      units: 1,
      quotaScope: organisationScope(product, organisation),
      quotaUnits: 1,
      holds: [unitName(organisationScope(product, organisation), unit), unitName(clusterScope(product, cluster), unit)],
      clusterId: cluster,
      placementId: instanceId(number),
      namespace: `dinosaur-${number}`,
      host: `dino-${number}.${cluster}.example.com`,
      desired: { product: '1.0.0', operator: 'op.1.0.0-1' },
      actual: { product: '1.0.0', operator: 'op.1.0.0-1' },
      agentReady: true,
      routesCreated: true,
    },
  });
}
