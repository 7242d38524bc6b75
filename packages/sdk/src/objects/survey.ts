import type { DesiredObject } from './desired-object.ts';
import { removalOrder } from './removal.ts';
import { type Found, readObject, type Work } from './work.ts';

/** Everything of the owner as it is on the clusters now: what is wished for, and what was before. */
export async function surveyDesired(work: Work, desiredObjects: readonly DesiredObject[]): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const each of await removalOrder(work, desiredObjects)) {
    const connection = work.connections[each.role];
    const live = connection && (await readObject(connection.client, each.ref, work));
    if (live !== undefined) found.push({ ...each, object: live });
  }
  return found;
}
