import { unusualPathRegex } from '../../model/policy/compared-path.ts';
import type { Dialect } from '../../model/proxy-scope.ts';
import type { HttpMatch } from '../../model/topology.ts';
import type { HeaderMatcher, Permission, RouteMatch } from '../proto/messages.ts';

/** A condition on requests in the form of one dialect. */
export interface RequestMatch {
  /** RE2 that must match the whole path, without the query. Default: any path. */
  readonly pathRegex?: string;
  /** All must match. */
  readonly headers: readonly HeaderMatcher[];
}

/** Matches all requests. */
export const anyRequest: RequestMatch = { headers: [] };

/** Policies match a prefix of the path, proxies the whole path. The group keeps alternatives together. */
function wholePathRegex(pathRegex: string | undefined): string | undefined {
  return pathRegex === undefined || pathRegex === '' || pathRegex === '.*' ? undefined : `(?:${pathRegex}).*`;
}

/** The group is for clients that anchor a pattern by adding `^` and `$`. */
function headerMatcher(name: string, regex: string, dialect: Dialect): HeaderMatcher {
  const safe_regex = { regex: `(?:${regex})` };
  return dialect === 'envoy' ? { name, string_match: { safe_regex } } : { name, safe_regex_match: safe_regex };
}

const escapeRegex = (text: string): string => text.replace(/[^A-Za-z0-9_]/g, String.raw`\$&`);

/** HTTP/2 has no `host`; proxies provide both under this name. */
const headerName = (name: string): string => (name === 'host' ? ':authority' : name);

/** gRPC rejects matchers for its own headers, and hides binary ones. */
const isHiddenFromGrpc = (name: string): boolean =>
  name.startsWith('grpc-') || name.endsWith('-bin') || name === ':scheme';

/** Every gRPC call is a POST, and clients do not expose the method as a header: evaluated here. */
const isImpossibleForGrpc = ({ methods, headers }: HttpMatch): boolean =>
  (methods.length > 0 && !methods.includes('POST')) || Object.keys(headers).some(isHiddenFromGrpc);

function methodMatchers(methods: readonly string[], dialect: Dialect): HeaderMatcher[] {
  if (methods.length === 0 || dialect === 'grpc') return [];
  return [headerMatcher(':method', methods.toSorted().map(escapeRegex).join('|'), dialect)];
}

/** Returns undefined for a condition that no request of the dialect can meet. */
export function requestMatch(match: HttpMatch, dialect: Dialect): RequestMatch | undefined {
  if (dialect === 'grpc' && isImpossibleForGrpc(match)) return undefined;
  const pathRegex = wholePathRegex(match.pathRegex);
  const headers = Object.entries(match.headers)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, regex]) => headerMatcher(headerName(name), regex, dialect));
  return { ...(pathRegex && { pathRegex }), headers: [...methodMatchers(match.methods, dialect), ...headers] };
}

/** The conditions that can be met, without duplicates, in an order that depends on their content only. */
export function requestMatches(matches: readonly HttpMatch[], dialect: Dialect): RequestMatch[] {
  const byContent = new Map<string, RequestMatch>();
  for (const match of matches) {
    const request = requestMatch(match, dialect);
    if (request) byContent.set(JSON.stringify(request), request);
  }
  return [...byContent.keys()].toSorted().flatMap(key => byContent.get(key) ?? []);
}

/** The condition as a route match. */
export const routeMatch = ({ pathRegex, headers }: RequestMatch): RouteMatch => ({
  ...(pathRegex === undefined ? { prefix: '/' } : { safe_regex: { regex: pathRegex } }),
  headers: [...headers],
});

const pathMatches = (regex: string): Permission => ({ url_path: { path: { safe_regex: { regex } } } });

/** gRPC libraries compare raw paths: paths that Envoy would reject or normalize are not permitted. */
const usualPath: Permission = { not_rule: pathMatches(unusualPathRegex) };

/** The condition as a permission of an access rule. */
export function permission({ pathRegex, headers }: RequestMatch, dialect: Dialect): Permission {
  const path = pathRegex === undefined ? [] : [pathMatches(pathRegex)];
  const usual = dialect === 'grpc' ? [usualPath] : [];
  const rules: Permission[] = [...usual, ...path, ...headers.map(header => ({ header }))];
  return rules.length === 0 ? { any: true } : { and_rules: { rules } };
}
