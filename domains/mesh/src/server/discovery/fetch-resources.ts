import type { Dialect } from '../../model/proxy-scope.ts';
import { type EncodedResource, isWholeSet, type ResourceType } from '../../model/resource.ts';
import type { ProxyView } from '../../ports.ts';

export interface FetchRequest {
  readonly type: ResourceType;
  readonly names: readonly string[];
  readonly dialect: Dialect;
}

/** The answer to a request that is not followed by others. */
export interface FetchedResources {
  readonly version: string;
  readonly resources: readonly EncodedResource[];
}

/** What a view holds of what is asked for. Names that do not exist are left out; none of it is repeated. */
export function fetchResources(view: ProxyView, { type, names, dialect }: FetchRequest): FetchedResources {
  const isEverything = isWholeSet(type) && (names.includes('*') || (names.length === 0 && dialect === 'envoy'));
  const wanted = new Set(isEverything ? [...view.names(type), ...names] : names);
  const resources = [...wanted].map(name => view.get(type, name)).filter(resource => resource !== undefined);
  return { version: view.version(type), resources };
}

export interface WaitForChangeOptions {
  readonly type: ResourceType;
  /** What the client has. */
  readonly version: string;
  readonly waitMs: number;
  /** The client has closed. */
  readonly signal: AbortSignal;
  /** The view is not kept up to date any longer; lives longer than this wait. */
  readonly closed: AbortSignal;
}

/** Resolves when the view has another version of a type than the client, and at the latest when the time is over or the view has ended. */
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
