import type { EncodedResource } from '../model/resource.ts';
import type { HeaderMatcher, Permission, Principal, RbacRules, RouteMatch, StringMatcher } from './proto/messages.ts';

// Evaluates requests to a workload as Envoy does, from the decoded resources.

/** Decodes a resource with its packed messages, see `decodeResource`. */
export type Decode = (resource: EncodedResource) => object;

export interface InboundRequest {
  readonly port: number;
  /** The caller's SPIFFE id. */
  readonly peer: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** `closed`: the connection is rejected; 403: the request is. */
export type Verdict = 'closed' | 403 | 404 | 200;

interface DecodedChain {
  readonly filter_chain_match: { readonly destination_port: { readonly value: number } };
  readonly filters: readonly [
    { readonly typed_config: { readonly rules: RbacRules } },
    { readonly typed_config: { readonly rds?: { readonly route_config_name: string } } },
  ];
}

interface DecodedRoutes {
  readonly virtual_hosts: readonly {
    readonly routes?: readonly { readonly match: RouteMatch }[];
    readonly typed_per_filter_config: {
      readonly 'envoy.filters.http.rbac': { readonly rbac: { readonly rules: RbacRules } };
    };
  }[];
}

function matchesString(matcher: StringMatcher | null | undefined, value: string): boolean {
  if (typeof matcher?.exact === 'string') return matcher.exact === value;
  if (matcher?.safe_regex) return new RegExp(`^(?:${matcher.safe_regex.regex})$`).test(value);
  throw new Error(`unknown matcher ${JSON.stringify(matcher)}`);
}

function matchesHeader({ name = '', string_match }: HeaderMatcher, request: InboundRequest): boolean {
  const value = name === ':method' ? request.method : request.headers[name];
  return value !== undefined && matchesString(string_match, value);
}

function isPermitted(permission: Permission, request: InboundRequest): boolean {
  if (permission.any) return true;
  if (permission.and_rules) return permission.and_rules.rules?.every(rule => isPermitted(rule, request)) ?? true;
  if (permission.url_path) return matchesString(permission.url_path.path, request.path);
  if (permission.header) return matchesHeader(permission.header, request);
  throw new Error(`unknown permission ${JSON.stringify(permission)}`);
}

const isCaller = ({ authenticated }: Principal, { peer }: InboundRequest): boolean =>
  matchesString(authenticated?.principal_name, peer);

const isAllowed = ({ policies = {} }: RbacRules, request: InboundRequest): boolean =>
  Object.values(policies).some(
    ({ permissions, principals }) =>
      permissions?.some(permission => isPermitted(permission, request)) &&
      principals?.some(principal => isCaller(principal, request)),
  );

function isRouted({ prefix, safe_regex, headers = [] }: RouteMatch, request: InboundRequest): boolean {
  const isPath = safe_regex ? matchesString({ safe_regex }, request.path) : request.path.startsWith(prefix ?? '');
  return isPath && headers.every(header => matchesHeader(header, request));
}

function judgeByRoutes(routes: DecodedRoutes, request: InboundRequest): Verdict {
  const [host] = routes.virtual_hosts;
  if (!host?.routes?.some(({ match }) => isRouted(match, request))) return 404;
  return isAllowed(host.typed_per_filter_config['envoy.filters.http.rbac'].rbac.rules, request) ? 200 : 403;
}

/** The result of a request, given the inbound resources of the workload. */
export function judge(resources: readonly EncodedResource[], decode: Decode, request: InboundRequest): Verdict {
  const listener = resources.find(({ type }) => type === 'listener');
  const { filter_chains = [] } = (listener ? decode(listener) : {}) as { filter_chains?: readonly DecodedChain[] };
  const chain = filter_chains.find(each => each.filter_chain_match.destination_port.value === request.port);
  if (!chain || !isAllowed(chain.filters[0].typed_config.rules, request)) return 'closed';
  const routesName = chain.filters[1].typed_config.rds?.route_config_name;
  if (routesName === undefined) return 200;
  const routes = resources.find(({ type, name }) => type === 'route' && name === routesName);
  return routes ? judgeByRoutes(decode(routes) as DecodedRoutes, request) : 404;
}
