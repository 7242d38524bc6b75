import type { SmError } from '../../errors.ts';
import {
  type BindingRow,
  type InstanceRow,
  type OperationRow,
  type RegistryWrite,
  removeRow,
  updateRow,
} from '../rows.ts';
import { failOperation, succeedOperation } from './operation-end.ts';
import { type InstanceAndRest, removeInstance } from './track-delete.ts';
import { rolledBack, settled } from './track-update.ts';

/** How something ended that a broker was polled for. */
export type PollEnd = { readonly type: 'succeeded' } | { readonly type: 'failed'; readonly error: SmError };

/** What the end of an instance's operation changes. A creation that failed leaves nothing. */
export function trackInstancePoll(polled: InstanceAndRest, operation: OperationRow, end: PollEnd): RegistryWrite[] {
  return [...instanceAfter(polled, operation, end), ...ended(operation, end)];
}

/** The same for a binding. */
export function trackBindingPoll(binding: BindingRow, operation: OperationRow, end: PollEnd): RegistryWrite[] {
  return [...bindingAfter(binding, operation, end), ...ended(operation, end)];
}

function instanceAfter(polled: InstanceAndRest, { spec }: OperationRow, end: PollEnd): RegistryWrite[] {
  const { instance } = polled;
  const hasSucceeded = end.type === 'succeeded';
  switch (spec.type) {
    case 'create':
      return hasSucceeded ? [withStatus(instance, { ready: true, usable: true })] : removeInstance(polled);
    case 'update':
      return [hasSucceeded ? settled(instance) : rolledBack(instance, isUsableAfter(end))];
    case 'delete':
      return hasSucceeded ? removeInstance(polled) : [withStatus(instance, { usable: isUsableAfter(end) })];
  }
}

function bindingAfter(binding: BindingRow, { spec }: OperationRow, end: PollEnd): RegistryWrite[] {
  const isGone = (spec.type === 'create') !== (end.type === 'succeeded');
  if (isGone) return [removeRow('bindings', binding)];
  if (spec.type !== 'create') return [];
  return [updateRow({ table: 'bindings', row: binding, status: { ...binding.status, ready: true } })];
}

/** The end of a deletion of which only the operation is known. */
export const trackUnknownPoll = (operation: OperationRow, end: PollEnd): RegistryWrite[] => ended(operation, end);

const ended = (operation: OperationRow, end: PollEnd): RegistryWrite[] =>
  end.type === 'succeeded' ? succeedOperation(operation) : failOperation(operation, end.error);

const isUsableAfter = (end: PollEnd): boolean => end.type === 'succeeded' || (end.error.facts.instanceUsable ?? true);

const withStatus = (row: InstanceRow, status: Partial<InstanceRow['status']>): RegistryWrite =>
  updateRow({ table: 'instances', row, status: { ...row.status, ...status } });
