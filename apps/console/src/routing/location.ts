import { useSyncExternalStore } from 'react';

/** Where the console is served. */
export const basePath = '/console';

/** The address of a view below `/console`. */
export interface ViewLocation {
  /** Path segments, decoded. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  /** The whole address, for comparison. */
  readonly text: string;
}

const listeners = new Set<() => void>();
const notify = (): void => {
  for (const listener of listeners) listener();
};
addEventListener('popstate', notify);

let cached: ViewLocation | undefined;

function readLocation(): ViewLocation {
  const { pathname, search } = location;
  const text = pathname + search;
  if (cached?.text === text) return cached;
  const segments = pathname
    .slice(basePath.length)
    .split('/')
    .filter(segment => segment !== '')
    .map(decode);
  cached = { segments, query: new URLSearchParams(search), text };
  return cached;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The present address; it is the whole state of a view. */
export const useViewLocation = (): ViewLocation => useSyncExternalStore(subscribe, readLocation);

export type QueryChange = Readonly<Record<string, string | undefined>>;

/** The address of a view. */
export function viewHref(segments: readonly string[], query: QueryChange = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) params.set(name, value);
  const path = `${basePath}/${segments.map(encodeURIComponent).join('/')}`;
  return params.size === 0 ? path : `${path}?${params}`;
}

export function navigate(href: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (replace) history.replaceState(undefined, '', href);
  else history.pushState(undefined, '', href);
  notify();
}

/** Changes the query of the present view; undefined and empty values are removed. */
export function changeQuery(change: QueryChange, options?: { readonly replace?: boolean }): void {
  const { pathname, search } = location;
  const params = new URLSearchParams(search);
  for (const [name, value] of Object.entries(change)) {
    if (value) params.set(name, value);
    else params.delete(name);
  }
  navigate(params.size === 0 ? pathname : `${pathname}?${params}`, options);
}
