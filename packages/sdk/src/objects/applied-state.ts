import type { KubeObject } from '@chandlery/api';
import { isSameJson } from '@chandlery/runtime';
import { contentOf } from './desired-object.ts';
import { type FieldSet, isAllOwned, isSameOwned, ownedBy, projectOwned } from './owned-fields.ts';

/** How the server stored a desired object: which fields we own, and with which values (it may write `1000m` as `1`). */
export interface AppliedState {
  readonly hash: string;
  readonly owned: FieldSet;
  readonly values: unknown;
}

/** Stores the state of an applied object; undefined when the server returns no managedFields. */
export function appliedStateOf(hash: string, applied: KubeObject, manager: string): AppliedState | undefined {
  const owned = ownedBy(manager, applied);
  return owned === undefined ? undefined : { hash, owned, values: projectOwned(applied, owned) };
}

/** Whether an object is unchanged since it was applied. */
export const isUnchanged = ({ owned, values }: AppliedState, live: KubeObject): boolean =>
  isSameJson(projectOwned(live, owned), values);

/** Whether an object is as desired, without stored state: we own all desired fields, and their values are equal. */
export function isFulfilled(desired: KubeObject, live: KubeObject, manager: string): boolean {
  const owned = ownedBy(manager, live);
  if (owned === undefined) return false;
  const content = contentOf(desired);
  return isAllOwned(content, owned) && isSameOwned(content, live, owned);
}
