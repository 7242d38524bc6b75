import type { MeshService } from '../mesh-service.ts';
import type { OutboundService, OutboundSplit, ProxyScope } from '../proxy-scope.ts';
import { type ServiceName, serviceKey } from '../service-name.ts';
import type { TrafficSplit, TrafficTarget } from '../topology.ts';
import {
  accountOf,
  accountsBehind,
  type Caller,
  grantsBetween,
  type PolicyDeps,
  principalsOf,
  targetsBetween,
} from './policy-deps.ts';

/**
 * Returns a service as a workload may call it; undefined when access is denied or the service is missing. A split
 * service is callable when one of its backends is.
 */
export function outboundService(
  service: ServiceName,
  scope: Pick<ProxyScope, 'identity'>,
  deps: PolicyDeps,
): OutboundService | undefined {
  const declared = deps.services.getService(service);
  if (declared === undefined) return undefined;
  const caller = { ...accountOf(scope.identity), cluster: scope.identity.cluster };
  const split = deps.topology.splitOf(service);
  const outbound = split && splitFor(declared, split, caller, deps);
  if (!isReached(service, outbound, caller, deps)) return undefined;
  const { cluster, tenant } = scope.identity;
  return {
    service: declared.service,
    ports: declared.ports,
    addresses: declared.addressesIn === undefined ? declared.addresses : (declared.addressesIn[cluster] ?? []),
    principals: principalsOf(accountsBehind(service, deps), tenant, deps),
    ...(declared.healthCheck && { healthCheck: declared.healthCheck }),
    ...(declared.isUnproxied && { isUnproxied: true }),
    ...(outbound === undefined ? {} : { split: outbound }),
  };
}

/** A split without matches applies to all requests. */
function isReached(service: ServiceName, split: OutboundSplit | undefined, caller: Caller, deps: PolicyDeps): boolean {
  if (deps.topology.isPermissive || (split?.backends.length ?? 0) > 0) return true;
  const takesAll = split !== undefined && split.matches === undefined;
  return !takesAll && isCallable(service, caller, deps);
}

/**
 * Whether a binding, or some account behind the service, allows the caller. A service without endpoints is visible, and empty, to
 * callers that have access to any account in its namespace: otherwise their clients would keep sending to removed
 * endpoints.
 */
function isCallable(service: ServiceName, caller: Caller, deps: PolicyDeps): boolean {
  const { topology } = deps;
  if (topology.isPermissive || grantsBetween(caller, service, deps).length > 0) return true;
  if (deps.endpointsOf(service).length === 0) {
    return topology
      .targetsFrom(caller)
      .some(target => target.destination.namespace === service.namespace && allowsAnything(target));
  }
  return accountsBehind(service, deps).some(destination =>
    targetsBetween(caller, destination, deps).some(allowsAnything),
  );
}

const allowsAnything = ({ http, tcpPorts }: TrafficTarget): boolean => http.length > 0 || tcpPorts !== undefined;

/** Leaves out backends that the caller may not call, or that lack a port of the root. */
function splitFor(
  root: MeshService,
  { source, backends, matches }: TrafficSplit,
  caller: Caller,
  deps: PolicyDeps,
): OutboundSplit {
  const usable = backends.filter(({ service }) => hasPortsOf(root, service, deps) && isCallable(service, caller, deps));
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
