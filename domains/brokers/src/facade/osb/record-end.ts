import { isOpen } from '../../model/operations/operation-state.ts';
import {
  type PollEnd,
  trackBindingPoll,
  trackInstancePoll,
  trackUnknownPoll,
} from '../../model/operations/track-poll.ts';
import type { OsbChange } from '../../model/outcomes/osb-outcome.ts';
import type { OperationRow, Registry } from '../../model/rows.ts';
import { commitRecord } from './commit-record.ts';
import { openBindingOperation, openInstanceOperation, withRest } from './known-rows.ts';

type OperationType = OperationRow['spec']['type'];

/** What OSB calls the operations of an instance. */
export const instanceVerbs: Readonly<Record<OperationType, OsbChange>> = {
  create: 'provision',
  update: 'update',
  delete: 'deprovision',
};

/** What OSB calls the operations of a binding; there is no update. */
export const bindingVerbs: Readonly<Record<OperationType, OsbChange>> = {
  create: 'bind',
  update: 'bind',
  delete: 'unbind',
};

/** Records the end of an operation of an instance, unless it is recorded already. */
export async function recordInstanceEnd(registry: Registry, { id, spec }: OperationRow, end: PollEnd): Promise<void> {
  await commitRecord(registry, () => {
    const instance = registry.instances.get(spec.resourceId);
    const open = openInstanceOperation(registry, spec.resourceId);
    if (instance === undefined || open?.id !== id) return [];
    return trackInstancePoll(withRest(registry, instance), open, end);
  });
}

/** The same for a deletion of something that there is no row of. */
export async function recordUnknownEnd(registry: Registry, { id }: OperationRow, end: PollEnd): Promise<void> {
  await commitRecord(registry, () => {
    const operation = registry.operations.get(id);
    return operation === undefined || !isOpen(operation) ? [] : trackUnknownPoll(operation, end);
  });
}

/** The same for a binding. */
export async function recordBindingEnd(registry: Registry, { id, spec }: OperationRow, end: PollEnd): Promise<void> {
  await commitRecord(registry, () => {
    const binding = registry.bindings.get(spec.resourceId);
    const open = openBindingOperation(registry, spec.resourceId);
    return binding === undefined || open?.id !== id ? [] : trackBindingPoll(binding, open, end);
  });
}
