import type { Condition } from '@chandlery/api';
import type { PodStatus } from '../pods/pod-status.ts';
import type { PodObject } from './objects.ts';

/** A pod's status as the node reports it; conditions of others and fields of the API stay. */
export function mergeStatus(before: PodObject['status'], told: PodStatus): PodObject['status'] {
  const qosClass = before?.qosClass === undefined ? {} : { qosClass: before.qosClass };
  const own = new Set(told.conditions.map(({ type }) => type));
  const others = (before?.conditions ?? []).filter(({ type }) => !own.has(type));
  return { ...told, conditions: [...told.conditions.map(kept(before)), ...others], ...qosClass };
}

/** The binding to a node precedes the node's report; its time is kept. */
const kept =
  (before: PodObject['status']) =>
  (condition: Condition): Condition => {
    const known = before?.conditions?.find(({ type }) => type === condition.type);
    const isSame = condition.type === 'PodScheduled' && known?.status === condition.status;
    return isSame && known !== undefined ? known : condition;
  };
