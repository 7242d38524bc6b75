import { unusualPathRegex } from '../../model/policy/compared-path.ts';
import type { Dialect } from '../../model/proxy-scope.ts';
import type { HttpMatch } from '../../model/topology.ts';
import type { HeaderMatcher, Permission, RouteMatch } from '../proto/messages.ts';

/** What a request must look like, in the terms of one dialect. */
export interface RequestMatch {
  /** RE2 that must match the whole path, without the query. Undefined: any path. */
  readonly pathRegex?: string;
  /** All must hold. */
  readonly headers: readonly HeaderMatcher[];
}

/** Requests of any kind. */
export const anyRequest: RequestMatch = { headers: [] };

/** Policies match the beginning of a path, proxies all of it. The group keeps alternatives together. */
function wholePathRegex(pathRegex: string | undefined): string | undefined {
  return pathRegex === undefined || pathRegex === '' || pathRegex === '.*' ? undefined : `(?:${pathRegex}).*`;
}

/** The group is for clients that anchor a pattern by putting `^` and `$` around it. */
function headerMatcher(name: string, regex: string, dialect: Dialect): HeaderMatcher {
  const safe_regex = { regex: `(?:${regex})` };
  return dialect === 'envoy' ? { name, string_match: { safe_regex } } : { name, safe_regex_match: safe_regex };
}

const escapeRegex = (text: string): string => text.replace(/[^A-Za-z0-9_]/g, String.raw`\$&`);

/** HTTP/2 has no `host`; proxies show both under this name. */
const headerName = (name: string): string => (name === 'host' ? ':authority' : name);

/** gRPC refuses matchers for headers of its own, and shows binary ones to nobody. */
const isHiddenFromGrpc = (name: string): boolean =>
  name.startsWith('grpc-') || name.endsWith('-bin') || name === ':scheme';

/** Every call of gRPC is a POST, and clients do not show it as a header: decided here. */
const isImpossibleForGrpc = ({ methods, headers }: HttpMatch): boolean =>
  (methods.length > 0 && !methods.includes('POST')) || Object.keys(headers).some(isHiddenFromGrpc);

function methodMatchers(methods: readonly string[], dialect: Dialect): HeaderMatcher[] {
  if (methods.length === 0 || dialect === 'grpc') return [];
  return [headerMatcher(':method', methods.toSorted().map(escapeRegex).join('|'), dialect)];
}

/** Undefined for what no request of the dialect can fulfil. */
export function requestMatch(match: HttpMatch, dialect: Dialect): RequestMatch | undefined {
  if (dialect === 'grpc' && isImpossibleForGrpc(match)) return undefined;
  const pathRegex = wholePathRegex(match.pathRegex);
  const headers = Object.entries(match.headers)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, regex]) => headerMatcher(headerName(name), regex, dialect));
  return { ...(pathRegex && { pathRegex }), headers: [...methodMatchers(match.methods, dialect), ...headers] };
}

/** Those that can be fulfilled, each once, in an order that depends only on what they say. */
export function requestMatches(matches: readonly HttpMatch[], dialect: Dialect): RequestMatch[] {
  const byContent = new Map<string, RequestMatch>();
  for (const match of matches) {
    const request = requestMatch(match, dialect);
    if (request) byContent.set(JSON.stringify(request), request);
  }
  return [...byContent.keys()].toSorted().flatMap(key => byContent.get(key) ?? []);
}

/** As the condition of a route. */
export const routeMatch = ({ pathRegex, headers }: RequestMatch): RouteMatch => ({
  ...(pathRegex === undefined ? { prefix: '/' } : { safe_regex: { regex: pathRegex } }),
  headers: [...headers],
});

const pathMatches = (regex: string): Permission => ({ url_path: { path: { safe_regex: { regex } } } });

/** gRPC libraries compare paths as they are sent: what Envoy would reject or read otherwise is not permitted at all. */
const usualPath: Permission = { not_rule: pathMatches(unusualPathRegex) };

/** As a permission of an access rule. */
export function permission({ pathRegex, headers }: RequestMatch, dialect: Dialect): Permission {
  const path = pathRegex === undefined ? [] : [pathMatches(pathRegex)];
  const usual = dialect === 'grpc' ? [usualPath] : [];
  const rules: Permission[] = [...usual, ...path, ...headers.map(header => ({ header }))];
  return rules.length === 0 ? { any: true } : { and_rules: { rules } };
}
