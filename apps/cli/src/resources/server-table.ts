import { type HttpClient, type ObjectRef, type ResourceRef, resourcePath } from '@chandlery/client';

/** A list as the server prints it: every kind declares its own columns. */
export interface ServerTable {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly columnDefinitions: readonly { readonly name: string; readonly priority?: number }[];
  readonly rows: readonly TableRow[];
}

interface TableRow {
  readonly cells: readonly unknown[];
  readonly object?: { readonly metadata?: { readonly name?: string; readonly namespace?: string } };
}

const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const pageSize = 500;

/** Reads a list, page by page, or one object as a table. */
export async function readTable(
  client: HttpClient,
  ref: ResourceRef | ObjectRef,
  { labelSelector, fieldSelector }: { readonly labelSelector?: string; readonly fieldSelector?: string } = {},
): Promise<ServerTable> {
  const rows: TableRow[] = [];
  let token: string | undefined;
  for (;;) {
    const isList = !('name' in ref);
    const query = isList ? { limit: pageSize, labelSelector, fieldSelector, continue: token } : {};
    const response = await client.raw(resourcePath(ref), { headers: { accept }, query });
    const page = (await response.json()) as ServerTable;
    rows.push(...page.rows);
    token = page.metadata?.continue;
    if (token === undefined || token === '') return { ...page, rows };
  }
}
