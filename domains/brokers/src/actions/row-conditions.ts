import type { Condition } from '@chandlery/api';
import { type StatedCondition, setCondition } from '@chandlery/runtime';

/** What a row's conditions were, and for which generation the new ones are. */
interface Before {
  readonly status: { readonly conditions?: readonly Condition[] };
  readonly generation: number;
  /** Of the registry. */
  readonly now: string;
}

/** The conditions of a row after some were stated anew. */
export function statedConditions({ status, generation, now }: Before, stated: readonly StatedCondition[]): Condition[] {
  const object = {
    apiVersion: '',
    kind: '',
    metadata: { generation },
    status: { conditions: [...(status.conditions ?? [])] },
  };
  for (const condition of stated) setCondition(object, condition, new Date(now));
  return object.status.conditions;
}

/** Ready and synced, in one sentence each. */
export const readyAndSynced = (message: string): StatedCondition[] => [
  { type: 'Ready', status: 'True', reason: 'Available', message },
  { type: 'Synced', status: 'True', reason: 'Synced', message },
];
