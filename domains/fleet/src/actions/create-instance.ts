import { fleetError } from '../errors.ts';
import { fleetNamespace } from '../kinds/index.ts';
import { checkInstanceName } from '../model/names.ts';
import {
  type ConfiguredProduct,
  checkRow,
  createRow,
  type InstanceRow,
  indexTerm,
} from '../registry/fleet-registry.ts';
import { type ActionDeps, presentProduct } from './action-deps.ts';
import { admittedStatus } from './admitted-status.ts';
import { commitOrder } from './commit-order.ts';
import { decideOrder, type OrderDecision } from './decide-order.ts';
import type { CreateInstanceRequest, FleetCaller } from './fleet-actions.ts';

/** Validates an order in the order of the reference and registers the instance in one commit. */
export async function createInstance(
  deps: ActionDeps,
  product: ConfiguredProduct,
  { caller, request }: { readonly caller: FleetCaller; readonly request: CreateInstanceRequest },
): Promise<InstanceRow> {
  checkInstanceName(request.name);
  const { id = deps.registry.newFleetId() } = request;
  await commitOrder(deps, usage => {
    const present = presentProduct(deps, product.row.id);
    checkNameIsFree(deps, present, { organisation: caller.organisation, name: request.name });
    const decision = decideOrder(deps, present, { order: { ...request, ...caller }, usage });
    return {
      demands: decision.demands,
      writes: holds => [
        createRow({
          table: 'instances',
          id,
          tenant: fleetNamespace,
          spec: specOf(present, { caller, request, decision }),
          status: admittedStatus(deps, decision, holds),
        }),
        // What was decided on must still hold.
        checkRow('products', present.row),
        ...(decision.cluster === undefined ? [] : [checkRow('clusters', decision.cluster)]),
      ],
    };
  });
  const created = deps.registry.instances.get(id);
  if (created === undefined) throw fleetError(7, `The instance ${id} was deleted meanwhile`);
  return created;
}

function checkNameIsFree(
  { registry }: ActionDeps,
  { row }: ConfiguredProduct,
  { organisation, name }: { readonly organisation: string; readonly name: string },
): void {
  if (registry.instances.count('name', indexTerm(row.id, organisation, name)) > 0) throw fleetError(36);
}

function specOf(
  { row }: ConfiguredProduct,
  {
    caller,
    request,
    decision,
  }: { readonly caller: FleetCaller; readonly request: CreateInstanceRequest; readonly decision: OrderDecision },
): InstanceRow['spec'] {
  const { location, type, size, multiAz } = decision;
  return {
    product: row.id,
    name: request.name,
    owner: caller.username,
    ...(caller.accountId === undefined ? {} : { ownerAccountId: caller.accountId }),
    organisation: caller.organisation,
    cloudProvider: location.provider.name,
    region: location.region.name,
    multiAz,
    plan: `${type.id}.${size.id}`,
    ...(request.instance === undefined ? {} : { instance: request.instance }),
  };
}
