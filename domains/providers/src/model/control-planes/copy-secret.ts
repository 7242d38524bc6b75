import type { KubeObject } from '@chandlery/api';
import { controllerOf, isSameJson } from '@chandlery/runtime';

/** What has to be done so that a copy is true. */
export type CopyPlan =
  | { readonly type: 'nothing' }
  | { readonly type: 'create' }
  | { readonly type: 'replace'; readonly object: KubeObject }
  /** Its type cannot be changed. */
  | { readonly type: 'recreate' }
  | { readonly type: 'foreign' };

/** Compares a copy with what it should be. What others added to its data goes; their labels and annotations stay. */
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
