import type { InboundPolicy, InboundPort, InboundRule, ProxyScope } from '../proxy-scope.ts';
import { parseServiceKey, type ServiceName, serviceKey } from '../service-name.ts';
import type { HttpMatch, ServiceGrant, TrafficTarget } from '../topology.ts';
import { accountOf, type PolicyDeps, principalsOf } from './policy-deps.ts';

/** The inbound policy of the workloads of an account on a cluster. */
export function inboundPolicyOf(scope: Pick<ProxyScope, 'identity'>, deps: PolicyDeps): InboundPolicy {
  const ports = inboundPortsOf(scope, deps);
  const { tenant } = scope.identity;
  const rules = deps.topology
    .targetsTo(accountOf(scope.identity))
    .flatMap(target => ruleOf(target, ports, principalsOf(target.sources, tenant, deps)) ?? []);
  const all = [...rules, ...grantRules(tenant, ports, deps)];
  return { ports, rules: all.sort((one, other) => (one.source < other.source ? -1 : 1)) };
}

const anyRequest: HttpMatch = { name: 'any', methods: [], headers: {} };

/** The access that bindings give to the services of these ports. */
function grantRules(tenant: string, ports: readonly InboundPort[], deps: PolicyDeps): InboundRule[] {
  const services = new Map<string, ServiceName>(ports.map(({ service }) => [serviceKey(service), service]));
  return [...services].flatMap(([key, service]) => {
    const own = ports.filter(port => serviceKey(port.service) === key).map(({ targetPort }) => targetPort);
    const open = [...new Set(own)].sort((one, other) => one - other);
    return deps.topology.grantsTo(service).map(grant => ({
      source: `ServiceBinding ${grant.source} to ${key}`,
      principals: principalsOf([grant.consumer], tenant, {
        clusters: clustersOf(grant, deps),
        trustDomains: deps.trustDomains,
      }),
      http: [anyRequest],
      httpPorts: open,
      tcpPorts: open,
    }));
  });
}

const clustersOf = ({ cluster }: ServiceGrant, { clusters }: PolicyDeps): readonly string[] =>
  cluster === undefined ? clusters : [cluster];

/** The ports of all services that this account backs on its cluster, with the target ports of the workloads. */
function inboundPortsOf({ identity }: Pick<ProxyScope, 'identity'>, deps: PolicyDeps): InboundPort[] {
  const { cluster, serviceAccount } = identity;
  const found = new Map<string, InboundPort>();
  for (const key of deps.servicesOf(serviceKey(accountOf(identity)))) {
    const service = parseServiceKey(key);
    if (service === undefined) continue;
    const own = deps
      .endpointsOf(service)
      .filter(one => (one.accountCluster ?? one.cluster) === cluster && one.serviceAccount === serviceAccount);
    for (const port of deps.services.getService(service)?.ports ?? []) {
      for (const { portName, port: targetPort } of own) {
        if (portName === port.name) found.set(`${key} ${port.port} ${targetPort}`, { ...port, service, targetPort });
      }
    }
  }
  return [...found.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, port]) => port);
}

/** Returns undefined when the rule allows no caller. A target has service ports, a rule has target ports. */
function ruleOf(
  { source, http, httpPorts, tcpPorts }: TrafficTarget,
  ports: readonly InboundPort[],
  principals: readonly string[],
): InboundRule | undefined {
  const targetPorts = (wanted: readonly number[]): number[] => {
    const open = ports.filter(({ port }) => wanted.includes(port)).map(({ targetPort }) => targetPort);
    return [...new Set(open)].sort((one, other) => one - other);
  };
  const openTcp = tcpPorts === undefined || tcpPorts === 'all' ? tcpPorts : targetPorts(tcpPorts);
  const isOpen = http.length > 0 || (openTcp !== undefined && openTcp.length > 0);
  if (principals.length === 0 || !isOpen) return undefined;
  return {
    source,
    principals,
    http,
    ...(httpPorts === undefined ? {} : { httpPorts: targetPorts(httpPorts) }),
    ...(openTcp === undefined ? {} : { tcpPorts: openTcp }),
  };
}
