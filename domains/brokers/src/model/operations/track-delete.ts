import { smError } from '../../errors.ts';
import { type BindingRow, type InstanceRow, type OperationRow, type RegistryWrite, removeRow } from '../rows.ts';
import { failOperation, succeedOperation } from './operation-end.ts';
import { enginePaths } from './operation-state.ts';
import { type BrokerResult, type TrackedBy, trackedOperation } from './tracked-operation.ts';

/** An instance, and what goes with it. */
export interface InstanceAndRest {
  readonly instance: InstanceRow;
  /** Bindings that the platform has not removed. The broker has no instance for them any more. */
  readonly bindings: readonly BindingRow[];
  /** Operations in progress on the bindings. */
  readonly bindingOperations: readonly OperationRow[];
}

/** Records the deletion of an instance, done or in progress at the broker. `open`: its operation in progress before. */
export function trackDeprovision(
  by: TrackedBy,
  deleted: InstanceAndRest & { readonly result: BrokerResult; readonly open: OperationRow | undefined },
): RegistryWrite[] {
  const { instance, result, open } = deleted;
  const operation = { type: 'delete', resourceType: enginePaths.instances, resourceId: instance.id, result } as const;
  return [
    ...(result.isDone ? removeInstance(deleted) : []),
    ...(open === undefined ? [] : superseded(open)),
    trackedOperation(by, operation),
  ];
}

/** Records the deletion of a binding, done or in progress at the broker. */
export function trackUnbind(
  by: TrackedBy,
  deleted: { readonly binding: BindingRow; readonly result: BrokerResult; readonly open: OperationRow | undefined },
): RegistryWrite[] {
  const { binding, result, open } = deleted;
  const operation = { type: 'delete', resourceType: enginePaths.bindings, resourceId: binding.id, result } as const;
  return [
    ...(result.isDone ? [removeRow('bindings', binding)] : []),
    ...(open === undefined ? [] : superseded(open)),
    trackedOperation(by, operation),
  ];
}

/**
 * The deletion of something that there is no row of. `open`: the one that the same platform has begun before; the broker's
 * answer to a repeated request may end it.
 */
export function trackUnknownDeletion(
  by: TrackedBy,
  deleted: {
    readonly resourceType: string;
    readonly resourceId: string;
    readonly result: BrokerResult;
    readonly open: OperationRow | undefined;
  },
): RegistryWrite[] {
  const { open, ...operation } = deleted;
  const { isDone, body } = operation.result;
  if (open !== undefined && isDone) return succeedOperation(open);
  if (open !== undefined && open.status.externalId === body['operation']) return [];
  const before = open === undefined ? [] : superseded(open);
  return [...before, trackedOperation(by, { type: 'delete', isOfUnknown: true, ...operation })];
}

/** The end of an instance and of everything that hangs on it. */
export const removeInstance = (gone: InstanceAndRest): RegistryWrite[] => [
  removeRow('instances', gone.instance),
  ...gone.bindings.map(binding => removeRow('bindings', binding)),
  ...gone.bindingOperations.flatMap(superseded),
];

const superseded = (operation: OperationRow): RegistryWrite[] =>
  failOperation(operation, smError('Gone', 'superseded by a delete request'));
