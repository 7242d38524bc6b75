import type { ObjectState } from '@chandlery/api';

/** Symbol and word of each state: colour alone never carries the meaning. */
export const stateWords: Readonly<Record<ObjectState, { readonly symbol: string; readonly word: string }>> = {
  failed: { symbol: '✗', word: 'Failed' },
  deleting: { symbol: '◌', word: 'Deleting' },
  waiting: { symbol: '◐', word: 'In progress' },
  exists: { symbol: '–', word: 'No status' },
  ready: { symbol: '✓', word: 'Ready' },
};
