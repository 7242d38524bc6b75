import { isError, type KubeObject } from '@chandlery/api';
import { isDeleting } from '@chandlery/runtime';
import { changeOf, isAsWished, isDrift, refusalOf } from './apply-wish.ts';
import { diffFields } from './field-diff.ts';
import type { Change } from './managed-objects.ts';
import { titleOf, type Wish, whereOf } from './wish.ts';
import { connectionOf, findLeftovers, findObject, type Work, wrapError } from './work.ts';

/** What an apply would do now, found out by dry runs. */
export async function planWishes(work: Work, wishes: readonly Wish[]): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for (const wish of wishes) changes.push(...(await planWish(work, wish)));
  // People ask for plans, and seldom: what is there counts, not what has been heard of so far.
  const leftovers = (await findLeftovers(work, wishes, true)).filter(({ object }) => !isDeleting(object));
  const deletions = leftovers.map(({ role, object }) => changeOf({ role, body: object } as Wish, 'delete', [], false));
  return [...changes, ...deletions];
}

async function planWish(work: Work, wish: Wish): Promise<readonly Change[]> {
  const live = await findObject(work, wish);
  if (live === undefined) return [changeOf(wish, 'create', [], isDrift(work, wish, live))];
  if (refusalOf(work, wish, live) !== undefined || isAsWished(work, wish, live)) return [];
  const after = await tryApply(work, wish);
  const fields = after === undefined ? [] : diffFields(live, after);
  return fields.length === 0 ? [] : [changeOf(wish, 'update', fields, isDrift(work, wish, live))];
}

async function tryApply(work: Work, wish: Wish): Promise<KubeObject | undefined> {
  const { client } = connectionOf(work, wish);
  const { fieldManager, signal } = work;
  try {
    const patch = { type: 'apply', body: wish.body, force: true } as const;
    return await client.patch(wish.ref, patch, { fieldManager, signal, isDryRun: true });
  } catch (error) {
    if (isError(error, 'NotFound')) return undefined;
    throw wrapError(error, `try to apply ${titleOf(wish.body)} ${whereOf(wish.role)}`);
  }
}
