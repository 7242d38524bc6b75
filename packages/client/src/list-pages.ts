import type { KubeObject } from '@chandlery/api';
import type { KubeList, ListOptions } from './client.ts';

const pageSize = 500;

/** The objects of a collection, page by page, all of one revision. `list` reads a page. */
export async function* listPages<T extends KubeObject>(
  list: (options: ListOptions) => Promise<KubeList<T>>,
  options: ListOptions,
): AsyncGenerator<T> {
  let page = await list({ limit: pageSize, ...options });
  yield* page.items;
  // A continue token implies the revision; servers reject both together.
  const { resourceVersion: _, resourceVersionMatch: __, ...rest } = options;
  while (page.metadata.continue) {
    page = await list({ limit: pageSize, ...rest, continue: page.metadata.continue });
    yield* page.items;
  }
}
