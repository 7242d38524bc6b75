import { fleetError } from '../errors.ts';
import { fleetClusterName } from '../kinds/index.ts';
import { isInGrace } from '../model/expiry.ts';
import type { InstanceEvent } from '../model/instance-events.ts';
import { transition } from '../model/transitions.ts';
import { versionProblem } from '../model/versions.ts';
import type { ConfiguredProduct, InstanceRow } from '../registry/fleet-registry.ts';
import type { ActionDeps } from './action-deps.ts';
import { changeInstance } from './change-instance.ts';
import { findInstance } from './delete-instance.ts';
import type { AdminPatchRequest } from './fleet-actions.ts';
import { hasLifespan } from './has-lifespan.ts';

/**
 * Changes desired versions, suspends or resumes. Checks in the order of the reference: the instance exists (7), something
 * is given (37), its state allows it, versions fit the cluster and each other, and suspension fits the state (8).
 */
export async function adminPatchInstance(
  deps: ActionDeps,
  product: ConfiguredProduct,
  { id, patch }: { readonly id: string; readonly patch: AdminPatchRequest },
): Promise<InstanceRow> {
  findInstance(deps, product, id);
  const productVersion = patch.productVersion?.trim() || undefined;
  const operatorVersion = patch.operatorVersion?.trim() || undefined;
  if (productVersion === undefined && operatorVersion === undefined && patch.suspended === undefined)
    throw fleetError(37, 'At least one of the version fields or suspended must be given');
  const given = { productVersion, operatorVersion, suspended: patch.suspended };
  await changeInstance(deps, id, row => eventsOf(deps, product, { row, patch: given }));
  return findInstance(deps, product, id);
}

function eventsOf(
  deps: ActionDeps,
  product: ConfiguredProduct,
  { row, patch }: { readonly row: InstanceRow; readonly patch: AdminPatchRequest },
): readonly InstanceEvent[] {
  const versions = versionEvent(deps, row, patch);
  if (patch.suspended === undefined) return [versions];
  if (patch.suspended) return [versions, { type: 'admin-suspend' }];
  const graceful = isInGrace({ status: row.status, hasLifespan: hasLifespan(product, row) });
  return [versions, { type: 'admin-resume', isInGrace: graceful }];
}

function versionEvent(
  { registry }: ActionDeps,
  { spec, status }: InstanceRow,
  patch: AdminPatchRequest,
): InstanceEvent {
  const wanted = { product: patch.productVersion, operator: patch.operatorVersion };
  const desired = {
    ...status.desired,
    ...(wanted.product === undefined ? {} : { product: wanted.product }),
    ...(wanted.operator === undefined ? {} : { operator: wanted.operator }),
  };
  const event = { type: 'versions-set', desired } as const;
  const allowed = transition(status, event);
  if (allowed.type === 'reject') throw fleetError(allowed.code, allowed.reason);
  if (wanted.product === undefined && wanted.operator === undefined) return event;
  const cluster = registry.clusters.get(fleetClusterName(spec.product, status.clusterId ?? ''));
  const problem = versionProblem(status, wanted, cluster?.status.operatorVersions);
  if (problem !== undefined) throw fleetError(8, `Cannot change versions: ${problem}`);
  return event;
}
