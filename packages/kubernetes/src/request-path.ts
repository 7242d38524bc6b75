import { badRequest } from '@chandlery/api';

/** What a path below `/clusters/<name>` addresses. */
export type RequestPath =
  | { readonly type: 'health'; readonly check: string }
  | { readonly type: 'version' }
  | { readonly type: 'root' }
  | { readonly type: 'discovery'; readonly root: '/api' | '/apis' }
  | { readonly type: 'group'; readonly group: string }
  | { readonly type: 'groupVersion'; readonly group: string; readonly version: string }
  | { readonly type: 'openapi'; readonly document: string }
  | { readonly type: 'openapiV2' }
  | { readonly type: 'issuer'; readonly document: 'configuration' | 'keys' }
  | ({ readonly type: 'resource' } & ResourcePath)
  | { readonly type: 'unknown' };

export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  /** Undefined for cluster-scoped resources and collections over all namespaces. */
  readonly namespace?: string;
  readonly plural: string;
  readonly name?: string;
  readonly subresource?: string;
}

const healthChecks = new Set(['livez', 'readyz', 'healthz']);

/** Takes a path apart. `path` starts with a slash and has no query. */
export function parseRequestPath(path: string): RequestPath {
  const segments = path.split('/').slice(1).map(decodeSegment);
  if (segments.at(-1) === '') segments.pop();
  if (segments.includes('')) return { type: 'unknown' };
  const [first = '', ...rest] = segments;
  if (healthChecks.has(first)) return { type: 'health', check: first };
  switch (first) {
    case '':
      return { type: 'root' };
    case 'version':
      return rest.length === 0 ? { type: 'version' } : { type: 'unknown' };
    case 'openapi':
      if (rest.join('/') === 'v2') return { type: 'openapiV2' };
      return rest[0] === 'v3' ? { type: 'openapi', document: rest.slice(1).join('/') } : { type: 'unknown' };
    case '.well-known':
      return rest.join('/') === 'openid-configuration'
        ? { type: 'issuer', document: 'configuration' }
        : { type: 'unknown' };
    case 'openid':
      return rest.join('/') === 'v1/jwks' ? { type: 'issuer', document: 'keys' } : { type: 'unknown' };
    case 'api':
      return apiPath('', rest);
    case 'apis':
      return apisPath(rest);
    default:
      return { type: 'unknown' };
  }
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest('the path is not properly percent-encoded');
  }
}

function apisPath([group, ...rest]: readonly string[]): RequestPath {
  if (group === undefined) return { type: 'discovery', root: '/apis' };
  return rest.length === 0 ? { type: 'group', group } : apiPath(group, rest);
}

function apiPath(group: string, [version, ...rest]: readonly string[]): RequestPath {
  if (version === undefined) return { type: 'discovery', root: '/api' };
  return rest.length === 0 ? { type: 'groupVersion', group, version } : resourcePath({ group, version }, rest);
}

/** Words after a namespace that are its own sub-resources and not collections in it. */
const namespaceSubresources = new Set(['status', 'finalize']);

function resourcePath(base: { group: string; version: string }, segments: readonly string[]): RequestPath {
  const [first = '', second, third, ...rest] = segments;
  const isNamespaced = first === 'namespaces' && second !== undefined && third !== undefined;
  if (!isNamespaced || (base.group === '' && rest.length === 0 && namespaceSubresources.has(third))) {
    return itemPath({ ...base, plural: first }, segments.slice(1));
  }
  return itemPath({ ...base, namespace: second, plural: third }, rest);
}

function itemPath(collection: Omit<ResourcePath, 'name' | 'subresource'>, rest: readonly string[]): RequestPath {
  const [name, ...sub] = rest;
  return {
    type: 'resource',
    ...collection,
    ...(name === undefined ? {} : { name }),
    ...(sub.length === 0 ? {} : { subresource: sub.join('/') }),
  };
}
