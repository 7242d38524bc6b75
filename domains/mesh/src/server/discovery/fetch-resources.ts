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
