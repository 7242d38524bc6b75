import { isError } from '@chandlery/api';
import { type DeleteOptions, deleteObject } from './delete.ts';
import { type ListRequest, type OpenList, openKeys, openList } from './read.ts';
import type { ResourceDeps, Target, WriteOptions } from './request.ts';

/** So many are deleted together, so that they share commits. */
const deletesAtOnce = 50;

/**
 * Deletes all that a request selects, as it is when the request comes, and lists what was there. Never holds more than a
 * piece of the collection: the list is read from history, as far as the reader wants it.
 */
export async function deleteCollection(
  deps: ResourceDeps,
  target: Target,
  write: WriteOptions,
  { request, options }: { readonly request: ListRequest; readonly options: DeleteOptions },
): Promise<OpenList> {
  const { revision, pieces } = await openKeys(deps, target, request);
  for await (const keys of pieces) {
    for (let start = 0; start < keys.length; start += deletesAtOnce) {
      const some = keys.slice(start, start + deletesAtOnce);
      await Promise.all(
        some.map(key => deleteOne(deps, { ...target, namespace: key.namespace, name: key.name }, write, options)),
      );
    }
  }
  return listBefore(deps, target, request, revision);
}

/** What was there before the deletion; nothing when history has been compacted meanwhile: the deletion is done. */
async function listBefore(
  deps: ResourceDeps,
  target: Target,
  { limit: _, continue: __, ...selected }: ListRequest,
  revision: number,
): Promise<OpenList> {
  try {
    const before = { resourceVersion: String(revision), resourceVersionMatch: 'Exact' };
    return await openList(deps, target, { ...selected, ...before });
  } catch (error) {
    if (!isError(error, 'Expired')) throw error;
    return { items: [], revision, rest: undefined };
  }
}

/** Another deletion may have been faster. */
async function deleteOne(
  deps: ResourceDeps,
  target: Target,
  write: WriteOptions,
  options: DeleteOptions,
): Promise<void> {
  try {
    await deleteObject(deps, target, write, options);
  } catch (error) {
    if (!isError(error, 'NotFound')) throw error;
  }
}
