import type { JsonObject } from '@chandlery/api';
import { smError } from '../../errors.ts';
import { failOperation, succeedOperation } from '../../model/operations/operation-end.ts';
import { enginePaths } from '../../model/operations/operation-state.ts';
import { endOthers, secretRemovals } from '../../model/operations/operation-writes.ts';
import {
  type BindingRow,
  type InstanceRow,
  type OperationRow,
  type Registry,
  type RegistryWrite,
  removeRow,
} from '../../model/rows.ts';

/** The instance or binding of an operation. */
export type Resource =
  | { readonly table: 'instances'; readonly row: InstanceRow }
  | { readonly table: 'bindings'; readonly row: BindingRow };

/** An operation with its resource, both as they are now. */
export interface Subject {
  readonly operation: OperationRow;
  readonly resource: Resource;
}

/** The instance or binding of an operation; undefined when it no longer exists. */
export function resourceOf(registry: Registry, { spec }: OperationRow): Resource | undefined {
  if (spec.resourceType === enginePaths.bindings) {
    const row = registry.bindings.get(spec.resourceId);
    return row && { table: 'bindings', row };
  }
  const row = registry.instances.get(spec.resourceId);
  return row && { table: 'instances', row };
}

/** The resource is not there any more: a deletion has what it wanted, anything else has lost its ground. */
export function goneWrites(registry: Registry, operation: OperationRow): RegistryWrite[] {
  if (operation.spec.type === 'delete') return [...succeedOperation(operation), ...endOthers(registry, operation)];
  return failOperation(operation, smError('Gone', 'it was deleted before this had ended'));
}

/** The resource goes, and with it its Secrets and whatever else was going on with it. */
export function removalWrites(registry: Registry, subject: Subject, leftovers?: JsonObject): RegistryWrite[] {
  const { operation, resource } = subject;
  return [
    ...rowRemoval(resource),
    ...succeedOperation(operation, leftovers === undefined ? {} : { leftovers }),
    ...endOthers(registry, operation),
  ];
}

/** The end of a row and of its Secrets. */
export const rowRemoval = ({ table, row }: Resource): RegistryWrite[] => [
  removeRow<'instances' | 'bindings'>(table, row),
  ...secretRemovals(row),
];
