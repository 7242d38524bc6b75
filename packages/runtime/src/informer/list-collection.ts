import { isError, type KubeObject } from '@chandlery/api';
import type { Client, KubeList, ListOptions, ResourceRef } from '@chandlery/client';

/** A collection at one moment. */
export interface ListedCollection<T extends KubeObject> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
}

/** Which collection to list and what to keep of its objects. */
export interface ListCollectionOptions<T extends KubeObject> {
  readonly client: Client;
  readonly ref: ResourceRef;
  readonly selection: Pick<ListOptions, 'labelSelector' | 'fieldSelector'>;
  readonly pageSize: number;
  readonly keep: (object: T) => T;
  readonly signal: AbortSignal;
}

/**
 * Lists a collection page by page, as it is now: no resource version is given, so the answer is never older than a write
 * that was acknowledged before. When the server forgets the moment of the first page before the last one is read, the
 * collection is read again in one piece, which cannot be overtaken.
 */
export async function listCollection<T extends KubeObject>(
  options: ListCollectionOptions<T>,
): Promise<ListedCollection<T>> {
  try {
    return await listPages(options, { limit: options.pageSize });
  } catch (thrown) {
    if (!isError(thrown, 'Expired', 'Gone')) throw thrown;
    return await listPages(options, {});
  }
}

async function listPages<T extends KubeObject>(
  options: ListCollectionOptions<T>,
  limit: Pick<ListOptions, 'limit'>,
): Promise<ListedCollection<T>> {
  const { client, ref, selection, keep, signal } = options;
  const items: T[] = [];
  let token: string | undefined;
  for (;;) {
    const page: KubeList<T> = await client.list<T>(ref, {
      ...selection,
      ...limit,
      signal,
      ...(token === undefined ? {} : { continue: token }),
    });
    signal.throwIfAborted();
    for (const item of page.items) items.push(keep(withType(item, page)));
    token = page.metadata.continue;
    if (!token) return { items, resourceVersion: page.metadata.resourceVersion ?? '' };
  }
}

/** Kubernetes leaves out the type of listed objects of built-in kinds, but not of watched ones. */
function withType<T extends KubeObject>(item: T, { apiVersion, kind }: KubeList): T {
  if (item.kind) return item;
  return { ...item, apiVersion, kind: kind.replace(/List$/, '') };
}
