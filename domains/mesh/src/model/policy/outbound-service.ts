import type { MeshService } from '../mesh-service.ts';
import type { OutboundService, OutboundSplit, ProxyScope } from '../proxy-scope.ts';
import { type ServiceName, serviceKey } from '../service-name.ts';
import type { ServiceAccountName, TrafficSplit, TrafficTarget } from '../topology.ts';
import { accountOf, accountsBehind, type PolicyDeps, principalsOf, targetsBetween } from './policy-deps.ts';

/**
 * A service as a workload may call it; undefined when it may not, or when there is none. A service whose traffic is
 * divided may be called when one of those that get it may.
 */
export function outboundService(
  service: ServiceName,
  scope: Pick<ProxyScope, 'identity'>,
  deps: PolicyDeps,
): OutboundService | undefined {
  const declared = deps.services.getService(service);
  if (declared === undefined) return undefined;
  const account = accountOf(scope.identity);
  const split = deps.topology.splitOf(service);
  const outbound = split && splitFor(declared, split, account, deps);
  if (!isReached(service, outbound, account, deps)) return undefined;
  const { cluster, tenant } = scope.identity;
  return {
    service: declared.service,
    ports: declared.ports,
    addresses: declared.addressesIn === undefined ? declared.addresses : (declared.addressesIn[cluster] ?? []),
    principals: principalsOf(accountsBehind(service, deps), tenant, deps),
    ...(declared.healthCheck && { healthCheck: declared.healthCheck }),
    ...(outbound === undefined ? {} : { split: outbound }),
  };
}

/** A split takes all requests unless it says which. */
function isReached(
  service: ServiceName,
  split: OutboundSplit | undefined,
  account: ServiceAccountName,
  deps: PolicyDeps,
): boolean {
  if (deps.topology.isPermissive || (split?.backends.length ?? 0) > 0) return true;
  const takesAll = split !== undefined && split.matches === undefined;
  return !takesAll && isCallable(service, account, deps);
}

/**
 * Whether any of those behind the service lets the account in. While nobody is behind it, whoever may call somebody in
 * its namespace is told that it is there and empty: a client that was never told would go on calling those who have left.
 */
function isCallable(service: ServiceName, account: ServiceAccountName, deps: PolicyDeps): boolean {
  const { topology } = deps;
  if (topology.isPermissive) return true;
  if (deps.endpointsOf(service).length === 0) {
    return topology
      .targetsFrom(account)
      .some(target => target.destination.namespace === service.namespace && allowsAnything(target));
  }
  return accountsBehind(service, deps).some(destination =>
    targetsBetween(account, destination, deps).some(allowsAnything),
  );
}

const allowsAnything = ({ http, tcpPorts }: TrafficTarget): boolean => http.length > 0 || tcpPorts !== undefined;

/** Without backends that may not be called, or that lack a port of the root: no request must go where nobody is. */
function splitFor(
  root: MeshService,
  { source, backends, matches }: TrafficSplit,
  account: ServiceAccountName,
  deps: PolicyDeps,
): OutboundSplit {
  const usable = backends.filter(
    ({ service }) => hasPortsOf(root, service, deps) && isCallable(service, account, deps),
  );
  return {
    source,
    backends: usable.toSorted((one, other) => (serviceKey(one.service) < serviceKey(other.service) ? -1 : 1)),
    ...(matches === undefined ? {} : { matches }),
  };
}

/** Whether a backend serves all ports of the root. */
export function hasPortsOf(root: MeshService, backend: ServiceName, { services }: PolicyDeps): boolean {
  const served = new Set(services.getService(backend)?.ports.map(({ port }) => port));
  return root.ports.every(({ port }) => served.has(port));
}
