import { FleetError } from '../errors.ts';
import { checkInstanceName } from '../model/names.ts';
import type { UnitUsage } from '../model/scopes.ts';
import { checkRow, type FleetWrite, type InstanceRow, updateRow } from '../registry/fleet-registry.ts';
import { type ActionDeps, presentProduct } from './action-deps.ts';
import { admittedStatus } from './admitted-status.ts';
import { checkLists } from './check-lists.ts';
import { commitOrder, type OrderPlan } from './commit-order.ts';
import { decideOrder } from './decide-order.ts';

/**
 * Decides on an instance that was made with kubectl as on an order over REST: afterwards it is accepted with everything
 * that it lacked filled in, or failed with the reason. Rows that have a state already stay as they are.
 */
export async function admitInstance(deps: ActionDeps, id: string): Promise<void> {
  try {
    await commitOrder(deps, usage => admission(deps, id, usage));
  } catch (error) {
    if (!(error instanceof FleetError) || error.status >= 500) throw error;
    const row = deps.registry.instances.get(id);
    if (row !== undefined && row.status.state === undefined) await deps.registry.commit([failed(deps, row, error)]);
  }
}

const nothing: OrderPlan = { demands: [], writes: () => [] };

function admission(deps: ActionDeps, id: string, usage: UnitUsage): OrderPlan {
  const row = deps.registry.instances.get(id);
  if (row === undefined || row.status.state !== undefined) return nothing;
  const { name = id, owner, organisation, cloudProvider, region, multiAz, plan } = row.spec;
  checkInstanceName(name);
  const product = presentProduct(deps, row.spec.product);
  checkLists(product.configuration, { username: owner, organisation });
  const order = { username: owner, organisation, cloudProvider, region, multiAz, plan };
  const decision = decideOrder(deps, product, { order, usage });
  const { location, type, size } = decision;
  return {
    demands: decision.demands,
    writes: holds => [
      updateRow({
        table: 'instances',
        row,
        spec: {
          ...row.spec,
          name,
          cloudProvider: location.provider.name,
          region: location.region.name,
          multiAz: decision.multiAz,
          plan: `${type.id}.${size.id}`,
        },
        status: { ...row.status, ...admittedStatus(deps, decision, holds) },
      }),
      checkRow('products', product.row),
      ...(decision.cluster === undefined ? [] : [checkRow('clusters', decision.cluster)]),
    ],
  };
}

const failed = ({ registry }: ActionDeps, row: InstanceRow, error: FleetError): FleetWrite =>
  updateRow({
    table: 'instances',
    row,
    status: { ...row.status, state: 'failed', stateSince: registry.now(), failedReason: error.message },
  });
