import type { KubeObject } from '@chandlery/api';
import { isSameJson } from '@chandlery/runtime';
import { contentOf } from './desired-object.ts';
import { type FieldSet, isAllOwned, isSameOwned, ownedBy, projectOwned } from './owned-fields.ts';

/** How the server took a wish: which fields became ours, and with which values (it may write `1000m` as `1`). */
export interface Settled {
  readonly hash: string;
  readonly owned: FieldSet;
  readonly values: unknown;
}

/** Remembers what an applied object looked like; undefined when the server tells nothing of owners. */
export function settle(hash: string, applied: KubeObject, manager: string): Settled | undefined {
  const owned = ownedBy(manager, applied);
  return owned === undefined ? undefined : { hash, owned, values: projectOwned(applied, owned) };
}

/** Whether an object still looks as it did when it was settled. */
export const isUnchanged = ({ owned, values }: Settled, live: KubeObject): boolean =>
  isSameJson(projectOwned(live, owned), values);

/** Whether an object is as wished for, judged by nothing but itself: all of the wish is ours, and the same. */
export function isFulfilled(desired: KubeObject, live: KubeObject, manager: string): boolean {
  const owned = ownedBy(manager, live);
  if (owned === undefined) return false;
  const content = contentOf(desired);
  return isAllOwned(content, owned) && isSameOwned(content, live, owned);
}
