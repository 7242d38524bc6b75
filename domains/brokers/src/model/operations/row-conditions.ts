import type { Condition, KubeObject } from '@chandlery/api';
import { type StatedCondition, setCondition } from '@chandlery/runtime';

/** What a condition is stated about: a row of any table. */
interface Conditioned {
  readonly generation: number;
  readonly status: { readonly conditions?: readonly Condition[] };
}

/** The conditions of a row after setting these. */
export function statedConditions(row: Conditioned, stated: readonly StatedCondition[], now: Date): Condition[] {
  const object: KubeObject = {
    metadata: { generation: row.generation },
    status: { conditions: [...(row.status.conditions ?? [])] },
  } as unknown as KubeObject;
  for (const condition of stated) setCondition(object, condition, now);
  return (object['status'] as { conditions: Condition[] }).conditions;
}

/** Whether stating these would say anything new. */
export function areStated({ status }: Conditioned, stated: readonly StatedCondition[]): boolean {
  return stated.every(({ type, status: value, reason, message = '' }) =>
    status.conditions?.some(
      known => known.type === type && known.status === value && known.reason === reason && known.message === message,
    ),
  );
}

/** It can be used. */
export const available: StatedCondition = { type: 'Ready', status: 'True', reason: 'Available' };

/** The broker has what the spec says. */
export const synced: StatedCondition = { type: 'Synced', status: 'True', reason: 'UpToDate' };

/** It cannot be used, and why. */
export const notReady = (reason: string, message: string): StatedCondition => ({
  type: 'Ready',
  status: 'False',
  reason,
  message,
});

/** The broker does not have what the spec says, and why. */
export const notSynced = (reason: string, message: string): StatedCondition => ({
  type: 'Synced',
  status: 'False',
  reason,
  message,
});

/** It is on its way. */
export const creating: readonly StatedCondition[] = [
  notReady('Creating', 'the broker is asked to create it'),
  notSynced('Creating', 'the broker is asked to create it'),
];

/** The conditions of a row that is ready and synced, with one message. */
export const readyAndSynced = (message: string): StatedCondition[] => [
  { type: 'Ready', status: 'True', reason: 'Available', message },
  { type: 'Synced', status: 'True', reason: 'Synced', message },
];
