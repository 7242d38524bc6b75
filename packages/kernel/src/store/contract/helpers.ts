import assert from 'node:assert/strict';
import { isError } from '@chandlery/api';
import type { Commit, Delete, Expectation, ObjectKey, Page, Put, Store, StoredObject } from '../store.ts';

/** Opens an empty store; `reopen` closes it and opens the same data again. */
export type OpenStore = () => Promise<OpenedStore>;

export interface OpenedStore extends AsyncDisposable {
  readonly store: Store;
  reopen(): Promise<Store>;
}

/** `name`, `namespace/name`; the rest has defaults. */
export function keyOf(path: string, rest: Partial<ObjectKey> = {}): ObjectKey {
  const [first = '', second] = path.split('/');
  const place = second === undefined ? { namespace: '', name: first } : { namespace: first, name: second };
  return { cluster: 'main', resource: '/things', ...place, ...rest };
}

type PutExtras = Partial<Omit<Put, 'type' | 'key' | 'value'>> & {
  readonly text?: string;
  readonly in?: Partial<ObjectKey>;
};

export function put(path: string, { text = path, in: place, ...extras }: PutExtras = {}): Put {
  const value = { bytes: Buffer.from(text), splice: text.length };
  return { type: 'put', key: keyOf(path, place), expect: { type: 'any' }, value, terms: [], ...extras };
}

export function remove(
  path: string,
  expect: Expectation = { type: 'present' },
  place: Partial<ObjectKey> = {},
): Delete {
  return { type: 'delete', key: keyOf(path, place), expect, value: { bytes: Buffer.from(`last ${path}`), splice: 0 } };
}

/** Commits the writes and returns the last revision. */
export async function write(store: Store, ...writes: Commit['writes']): Promise<number> {
  const { revisions } = await store.commit({ writes });
  return revisions.at(-1) ?? 0;
}

export const textOf = (object: { readonly value: { readonly bytes: Uint8Array } } | undefined): string | undefined =>
  object && Buffer.from(object.value.bytes).toString();

export const pathOf = ({ key }: Pick<StoredObject, 'key'>): string =>
  key.namespace === '' ? key.name : `${key.namespace}/${key.name}`;

export const pathsOf = (page: Pick<Page, 'items'>): string[] => page.items.map(pathOf);

/** Asserts that a promise rejects with one of our errors. */
export async function rejectsWith(promise: Promise<unknown>, code: string, details: object = {}): Promise<void> {
  await assert.rejects(promise, (thrown: unknown) => {
    assert.ok(isError(thrown, code), `expected ${code}, got ${String(thrown)}`);
    assert.deepEqual({ ...thrown.details, ...details }, thrown.details);
    return true;
  });
}
