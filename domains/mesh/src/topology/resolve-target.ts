import { maxRules } from '../kinds/smi/limits.ts';
import { portOf, type SmiTrafficTarget } from '../kinds/smi/traffic-target.ts';
import type { HttpMatch, TrafficTarget } from '../model/topology.ts';

/** Looks up the routes that a target names; undefined for missing ones. */
export interface Routes {
  httpMatches(namespace: string, name: string): readonly HttpMatch[] | undefined;
  /** Empty: all ports. */
  tcpPorts(namespace: string, name: string): readonly number[] | undefined;
}

/**
 * Resolves a target with its routes. Missing routes allow nothing. Returns undefined for a target outside the namespace
 * of its destination, because access is granted there, and for one with too many rules.
 */
export function resolveTarget(target: SmiTrafficTarget, routes: Routes): TrafficTarget | undefined {
  const { destination, sources } = target.spec;
  const { namespace = '', name = '' } = target.metadata;
  if ((destination.namespace || namespace) !== namespace || target.spec.rules.length > maxRules) return undefined;
  return {
    source: `${namespace}/${name}`,
    destination: { namespace, name: destination.name },
    sources: sources.map(each => ({ namespace: each.namespace || namespace, name: each.name })),
    ...onPort(destination, httpOf(target, routes), tcpPortsOf(target, routes)),
  };
}

type Allowed = Pick<TrafficTarget, 'http' | 'httpPorts' | 'tcpPorts'>;

/** A target with a port allows nothing on other ports; with an invalid port it allows nothing. */
function onPort(
  destination: { readonly port?: number | string },
  http: readonly HttpMatch[],
  tcpPorts: readonly number[] | 'all' | undefined,
): Allowed {
  if (destination.port === undefined) return { http, ...(tcpPorts === undefined ? {} : { tcpPorts }) };
  const port = portOf(destination);
  if (port === undefined) return { http: [] };
  const isTcpOpen = tcpPorts === 'all' || (tcpPorts?.includes(port) ?? false);
  return { http, httpPorts: [port], ...(isTcpOpen ? { tcpPorts: [port] } : {}) };
}

function httpOf({ metadata: { namespace = '' }, spec }: SmiTrafficTarget, routes: Routes): HttpMatch[] {
  return spec.rules
    .filter(({ kind }) => kind === 'HTTPRouteGroup')
    .flatMap(({ name, matches }) => {
      const all = routes.httpMatches(namespace, name) ?? [];
      const chosen = matches && new Set(matches);
      return chosen === undefined ? all : all.filter(match => chosen.has(match.name));
    });
}

function tcpPortsOf(
  { metadata: { namespace = '' }, spec }: SmiTrafficTarget,
  routes: Routes,
): readonly number[] | 'all' | undefined {
  const lists = spec.rules
    .filter(({ kind }) => kind === 'TCPRoute')
    .flatMap(({ name }) => {
      const ports = routes.tcpPorts(namespace, name);
      return ports === undefined ? [] : [ports];
    });
  if (lists.length === 0) return undefined;
  if (lists.some(ports => ports.length === 0)) return 'all';
  return [...new Set(lists.flat())].sort((one, other) => one - other);
}
