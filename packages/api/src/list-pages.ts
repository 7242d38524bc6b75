const pageSize = 500;

/** The options of a list that paging uses. */
interface PageOptions {
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
}

/** One page of a collection. */
interface Page<T> {
  readonly items: readonly T[];
  readonly metadata: { readonly continue?: string };
}

/** The objects of a collection, page by page, all of one revision. `list` reads a page. */
export async function* listPages<T, O extends PageOptions>(
  list: (options: O & PageOptions) => Promise<Page<T>>,
  options: O,
): AsyncGenerator<T> {
  let page = await list({ limit: pageSize, ...options });
  yield* page.items;
  // A continue token implies the revision; servers reject both together.
  const { resourceVersion: _, resourceVersionMatch: __, ...rest } = options;
  while (page.metadata.continue) {
    page = await list({ limit: pageSize, ...rest, continue: page.metadata.continue } as O & PageOptions);
    yield* page.items;
  }
}
