import type { KubeObject } from '@chandlery/api';
import { hasFinalizer, isDeleting } from '@chandlery/runtime';
import { syncFinalizer } from './sync-ownership.ts';

/** What is known of a source and its copy. */
export interface SyncState {
  readonly source: KubeObject | undefined;
  /** What is at the copy's place. */
  readonly copy: KubeObject | undefined;
  /** The copy was made for this source. */
  readonly isLinked: boolean;
  /** The copy has all of what it should have. */
  readonly isAsDesired: boolean;
}

/** One thing to do. They are done in order; `wait` ends the pass until something changes. */
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

/** What is to be done for a source and its copy, looked at as they are. */
export function decideSync(state: SyncState): readonly SyncAction[] {
  const { source } = state;
  if (source === undefined) return state.copy !== undefined && state.isLinked ? takeAway(state.copy) : [];
  return isDeleting(source) ? leave(source, state) : carry(source, state);
}

/** The finalizer goes when there is no copy any more; related objects go while it is still there. */
function leave(source: KubeObject, { copy, isLinked }: SyncState): readonly SyncAction[] {
  if (!hasFinalizer(source, syncFinalizer)) return [];
  return copy !== undefined && isLinked ? takeAway(copy) : ['clean-related', 'remove-finalizer'];
}

const takeAway = (copy: KubeObject): readonly SyncAction[] =>
  isDeleting(copy) ? ['clean-related', 'wait'] : ['clean-related', 'delete-copy'];

/** The finalizer is there before the copy is, or a source could go and leave it. */
function carry(source: KubeObject, { copy, isLinked, isAsDesired }: SyncState): readonly SyncAction[] {
  if (copy !== undefined && !isLinked) return ['report-conflict'];
  const first: readonly SyncAction[] = hasFinalizer(source, syncFinalizer) ? [] : ['add-finalizer'];
  if (copy !== undefined && isDeleting(copy)) return [...first, 'wait'];
  const write: readonly SyncAction[] = copy === undefined || !isAsDesired ? ['apply-copy'] : [];
  return [...first, ...write, 'carry-related', 'carry-status'];
}
