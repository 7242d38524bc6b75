import assert from 'node:assert/strict';
import type { TestLandscape } from '@chandlery/testing';

/** A page of a list of the service manager. */
export interface Page {
  readonly num_items: number;
  readonly token?: string;
  readonly items?: readonly { readonly id: string; readonly labels?: Readonly<Record<string, readonly string[]>> }[];
}

/** One page of a list. */
export async function readPage(
  landscape: TestLandscape,
  type: string,
  query: Readonly<Record<string, string>>,
): Promise<Page> {
  const answer = await landscape.request(`/v1/${type}?${new URLSearchParams(query)}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.json<Page>();
}

/** How many there are. */
export const countOf = async (
  landscape: TestLandscape,
  type: string,
  query: Readonly<Record<string, string>> = {},
): Promise<number> => (await readPage(landscape, type, { ...query, max_items: '0' })).num_items;

/** The ids of all pages, in order, to the end. */
export async function readAll(
  landscape: TestLandscape,
  type: string,
  query: Readonly<Record<string, string>>,
): Promise<string[]> {
  const ids: string[] = [];
  for (let token: string | undefined = ''; token !== undefined; ) {
    const page: Page = await readPage(landscape, type, {
      ...query,
      max_items: '200',
      ...(token === '' ? {} : { token }),
    });
    for (const { id } of page.items ?? []) ids.push(id);
    token = page.token;
  }
  return ids;
}
