import { fleetClusterName } from '../kinds/index.ts';
import type { InstanceStatus } from '../model/instance-events.ts';
import { type ClusterRow, type InstanceRow, updateRow } from '../registry/fleet-registry.ts';
import type { TestReplica } from '../test-fleet.ts';
import type { InstanceReport } from './fleet-actions.ts';

/** Sections of a document that needs nothing outside. */
export const closedWorld = {
  dns: { type: 'none' },
  sso: { type: 'none' },
  terms: undefined,
  metrics: { type: 'embedded' },
};

/** Puts fields into the status of an instance, past all rules. */
export async function forceStatus({ deps }: TestReplica, id: string, status: InstanceStatus): Promise<InstanceRow> {
  const row = instanceOf(deps, id);
  await deps.registry.commit([updateRow({ table: 'instances', row, status: { ...row.status, ...status } })]);
  return instanceOf(deps, id);
}

/** The present row of an instance that must be there. */
export function instanceOf({ registry }: TestReplica['deps'], id: string): InstanceRow {
  const row = registry.instances.get(id);
  if (row === undefined) throw new Error(`there is no instance ${id}`);
  return row;
}

/** The present row of a cluster that must be there. */
export function clusterOf({ registry }: TestReplica['deps'], clusterId: string, product = 'dinosaurs'): ClusterRow {
  const row = registry.clusters.get(fleetClusterName(product, clusterId));
  if (row === undefined) throw new Error(`there is no cluster ${clusterId}`);
  return row;
}

/** A report with one Ready condition. */
export const report = (
  status: string,
  reason = '',
  rest: Partial<InstanceReport> & { readonly message?: string } = {},
): InstanceReport => ({
  conditions: [{ type: 'Ready', status, reason, message: rest.message ?? '' }],
  versions: rest.versions ?? { product: undefined, operator: undefined },
  routes: rest.routes,
  adminUrl: rest.adminUrl,
});
