import type { DesiredObject } from './desired-object.ts';
import { removalOrder } from './removal.ts';
import { type Found, readObject, type Work } from './work.ts';

/** Returns everything of the owner that is on the clusters now, desired or not. */
export async function surveyDesired(work: Work, desiredObjects: readonly DesiredObject[]): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const each of await removalOrder(work, desiredObjects)) {
    const connection = work.connections[each.role];
    const live = connection && (await readObject(connection.client, each.ref, work));
    if (live !== undefined) found.push({ ...each, object: live });
  }
  return found;
}
