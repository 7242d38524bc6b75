import type { KubeObject } from '@chandlery/api';
import { controllerOf, isSameJson } from '@chandlery/runtime';

/** How to update a copy. */
export type CopyPlan =
  | { readonly type: 'nothing' }
  | { readonly type: 'create' }
  | { readonly type: 'replace'; readonly object: KubeObject }
  /** The type of a Secret is immutable. */
  | { readonly type: 'recreate' }
  | { readonly type: 'foreign' };

/** Compares a copy with its desired content. Data of other clients is removed; their labels and annotations stay. */
export function planCopy(wanted: KubeObject, actual: KubeObject | undefined, isOurs: boolean): CopyPlan {
  if (actual === undefined) return { type: 'create' };
  const owner = controllerOf(wanted);
  if (!isOurs && controllerOf(actual)?.uid !== owner?.uid) return { type: 'foreign' };
  if (actual['type'] !== wanted['type'] || actual['immutable'] === true) return { type: 'recreate' };
  const { ownerReferences = [], labels } = wanted.metadata;
  const metadata = { ...actual.metadata, labels: { ...actual.metadata.labels, ...labels }, ownerReferences };
  const object = { ...actual, metadata, data: wanted['data'] };
  return isSameJson(object, actual) ? { type: 'nothing' } : { type: 'replace', object };
}
