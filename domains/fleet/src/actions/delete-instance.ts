import { fleetError } from '../errors.ts';
import type { ConfiguredProduct, InstanceRow } from '../registry/fleet-registry.ts';
import type { ActionDeps } from './action-deps.ts';
import { changeInstance } from './change-instance.ts';
import type { FleetCaller } from './fleet-actions.ts';

/**
 * Asks for the deletion of an instance; repeated calls change nothing. Throws 7 for an instance of another organisation
 * and 11 for a caller who is neither its owner nor an administrator of the organisation.
 */
export async function deleteInstance(
  deps: ActionDeps,
  product: ConfiguredProduct,
  { caller, id }: { readonly caller: FleetCaller; readonly id: string },
): Promise<void> {
  const check = ({ spec }: InstanceRow): void => {
    if (spec.organisation !== caller.organisation) throw unknownInstance(id);
    if (spec.owner !== caller.username && !caller.isOrganisationAdmin) throw fleetError(11);
  };
  check(findInstance(deps, product, id));
  await changeInstance(deps, id, row => {
    check(row);
    return [{ type: 'delete', by: 'user' }];
  });
}

/** Asks for the deletion of any instance of a product. Throws 7 when there is none. */
export async function adminDeleteInstance(deps: ActionDeps, product: ConfiguredProduct, id: string): Promise<void> {
  findInstance(deps, product, id);
  await changeInstance(deps, id, () => [{ type: 'delete', by: 'administrator' }]);
}

/** Returns an instance of a product. Throws 7 when there is none. */
export function findInstance({ registry }: ActionDeps, product: ConfiguredProduct, id: string): InstanceRow {
  const row = registry.instances.get(id);
  if (row?.spec.product !== product.row.id) throw unknownInstance(id);
  return row;
}

const unknownInstance = (id: string) => fleetError(7, `There is no instance "${id}"`);
