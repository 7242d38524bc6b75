import type { KubeObject } from '@chandlery/api';
import { hasFinalizer, isDeleting } from '@chandlery/runtime';
import { syncFinalizer } from './sync-ownership.ts';

/** The observed state of a source and its copy. */
export interface SyncState {
  readonly source: KubeObject | undefined;
  /** The object at the copy's place. */
  readonly copy: KubeObject | undefined;
  /** The copy was created for this source. */
  readonly isLinked: boolean;
  /** The copy has the desired content. */
  readonly isAsDesired: boolean;
}

/** An action. Actions run in order; `wait` stops until something changes. */
export type SyncAction =
  | 'add-finalizer'
  | 'apply-copy'
  | 'carry-status'
  | 'carry-related'
  | 'clean-related'
  | 'delete-copy'
  | 'report-conflict'
  | 'remove-finalizer'
  | 'wait';

/** Decides the actions for a source and its copy from their observed state. Pure. */
export function decideSync(state: SyncState): readonly SyncAction[] {
  const { source } = state;
  if (source === undefined) return state.copy !== undefined && state.isLinked ? takeAway(state.copy) : [];
  return isDeleting(source) ? leave(source, state) : carry(source, state);
}

/** Related objects are deleted while the copy exists, and the finalizer is removed after the copy. */
function leave(source: KubeObject, { copy, isLinked }: SyncState): readonly SyncAction[] {
  if (!hasFinalizer(source, syncFinalizer)) return [];
  return copy !== undefined && isLinked ? takeAway(copy) : ['clean-related', 'remove-finalizer'];
}

const takeAway = (copy: KubeObject): readonly SyncAction[] =>
  isDeleting(copy) ? ['clean-related', 'wait'] : ['clean-related', 'delete-copy'];

/** The finalizer is added before the copy is created, so that no source is deleted without it. */
function carry(source: KubeObject, { copy, isLinked, isAsDesired }: SyncState): readonly SyncAction[] {
  if (copy !== undefined && !isLinked) return ['report-conflict'];
  const first: readonly SyncAction[] = hasFinalizer(source, syncFinalizer) ? [] : ['add-finalizer'];
  if (copy !== undefined && isDeleting(copy)) return [...first, 'wait'];
  const write: readonly SyncAction[] = copy === undefined || !isAsDesired ? ['apply-copy'] : [];
  return [...first, ...write, 'carry-related', 'carry-status'];
}
