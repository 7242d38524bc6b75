import { isError, type KubeObject } from '@chandlery/api';
import { isDeleting } from '@chandlery/runtime';
import { changeOf, isAsDesired, isDrift, obstacleOf } from './apply-object.ts';
import { type DesiredObject, titleOf, whereOf } from './desired-object.ts';
import { diffFields } from './field-diff.ts';
import type { Change } from './managed-objects.ts';
import { connectionOf, findLeftovers, findObject, type Work, wrapError } from './work.ts';

/** Returns what an apply would do now, from dry runs. */
export async function planDesired(work: Work, desiredObjects: readonly DesiredObject[]): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for (const desired of desiredObjects) changes.push(...(await planOne(work, desired)));
  // Plans are rare and requested by people: the servers are asked, not the caches.
  const leftovers = (await findLeftovers(work, desiredObjects, true)).filter(({ object }) => !isDeleting(object));
  const deletions = leftovers.map(({ role, object }) =>
    changeOf({ role, body: object } as DesiredObject, 'delete', [], false),
  );
  return [...changes, ...deletions];
}

async function planOne(work: Work, desired: DesiredObject): Promise<readonly Change[]> {
  const live = await findObject(work, desired);
  if (live === undefined) return [changeOf(desired, 'create', [], isDrift(work, desired, live))];
  if (obstacleOf(work, desired, live) !== undefined || isAsDesired(work, desired, live)) return [];
  const after = await tryApply(work, desired);
  const fields = after === undefined ? [] : diffFields(live, after);
  return fields.length === 0 ? [] : [changeOf(desired, 'update', fields, isDrift(work, desired, live))];
}

async function tryApply(work: Work, desired: DesiredObject): Promise<KubeObject | undefined> {
  const { client } = connectionOf(work, desired);
  const { fieldManager, signal } = work;
  try {
    const patch = { type: 'apply', body: desired.body, force: true } as const;
    return await client.patch(desired.ref, patch, { fieldManager, signal, isDryRun: true });
  } catch (error) {
    if (isError(error, 'NotFound')) return undefined;
    throw wrapError(error, `try to apply ${titleOf(desired.body)} ${whereOf(desired.role)}`);
  }
}
