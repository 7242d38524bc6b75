import { type FleetError, fleetError } from '../../../errors.ts';
import type { InstanceRow } from '../../../registry/fleet-registry.ts';
import type { ProductCall, UserCall } from '../call.ts';
import type { FacadeTables } from '../facade-deps.ts';

type Instances = Pick<FacadeTables, 'instances'>;

/** Returns an instance of the caller's organisation. Throws error 7. */
export function findOwnInstance(call: UserCall, tables: Instances): InstanceRow {
  const row = findInstance(call, tables);
  if (row.spec.organisation !== call.caller.organisation) throw notFound(call);
  return row;
}

/** Returns an instance of the product, whatever its owner. Throws error 7. */
export function findInstance(call: ProductCall, { instances }: Instances): InstanceRow {
  const row = instances.get(call.params['id'] ?? '');
  if (row === undefined || row.spec.product !== call.product.row.id) throw notFound(call);
  return row;
}

const notFound = ({ names, params }: ProductCall): FleetError =>
  fleetError(7, `${names.kind}Resource with id='${params['id']}' not found`);
