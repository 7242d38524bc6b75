import type { Dialect } from '../../model/proxy-scope.ts';
import { type EncodedResource, isWholeSet, type ResourceType } from '../../model/resource.ts';
import type { ProxyView } from '../../ports.ts';

export interface FetchRequest {
  readonly type: ResourceType;
  readonly names: readonly string[];
  readonly dialect: Dialect;
}

/** The response to a single request. */
export interface FetchedResources {
  readonly version: string;
  readonly resources: readonly EncodedResource[];
}

/** Returns the requested resources of a view, without duplicates. Missing names are left out. */
export function fetchResources(view: ProxyView, { type, names, dialect }: FetchRequest): FetchedResources {
  const isEverything = isWholeSet(type) && (names.includes('*') || (names.length === 0 && dialect === 'envoy'));
  const wanted = new Set(isEverything ? [...view.names(type), ...names] : names);
  const resources = [...wanted].map(name => view.get(type, name)).filter(resource => resource !== undefined);
  return { version: view.version(type), resources };
}

export interface WaitForChangeOptions {
  readonly type: ResourceType;
  /** The version that the client has. */
  readonly version: string;
  readonly waitMs: number;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Aborts when the view is no longer kept up to date; outlives this wait. */
  readonly closed: AbortSignal;
}

/**
 * Resolves when the view's version of the type differs from the client's, or the timeout expires, or a signal aborts.
 */
export async function waitForChange(view: ProxyView, options: WaitForChangeOptions): Promise<void> {
  const { type, version, waitMs, signal, closed } = options;
  if (view.version(type) !== version || signal.aborted || closed.aborted) return;
  await new Promise<void>(resolve => {
    const timer = setTimeout(done, waitMs).unref();
    const unsubscribe = view.subscribe(() => {
      if (view.version(type) !== version) done();
    });
    signal.addEventListener('abort', done);
    closed.addEventListener('abort', done);
    function done(): void {
      clearTimeout(timer);
      unsubscribe();
      signal.removeEventListener('abort', done);
      closed.removeEventListener('abort', done);
      resolve();
    }
  });
}
