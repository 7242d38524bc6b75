import { childOf, type Draft, ensureChild, fill, isAbsent, itemsOf } from './draft.ts';

const typeOf = (spec: Draft): unknown => spec['type'] || 'ClusterIP';

function fillPort(port: Draft): void {
  const target = port['targetPort'];
  if (isAbsent(target) || target === 0 || target === '') port['targetPort'] = port['port'];
}

const reachesOutside = (spec: Draft): boolean =>
  typeOf(spec) === 'NodePort' || typeOf(spec) === 'LoadBalancer' || itemsCount(spec, 'externalIPs') > 0;

const itemsCount = (parent: Draft, field: string): number => {
  const value = parent[field];
  return Array.isArray(value) ? value.length : 0;
};

function fillTrafficPolicies(spec: Draft): void {
  if (typeOf(spec) !== 'ExternalName') fill(spec, 'internalTrafficPolicy', 'Cluster');
  if (reachesOutside(spec)) fill(spec, 'externalTrafficPolicy', 'Cluster');
  if (typeOf(spec) === 'LoadBalancer') fill(spec, 'allocateLoadBalancerNodePorts', true);
}

/** Fills in a service. Addresses and node ports are not defaults: they are allocated. */
export function fillService(service: Draft): void {
  const spec = childOf(service, 'spec');
  if (spec === undefined) return;
  for (const port of itemsOf(spec, 'ports')) fillPort(port);
  fillTrafficPolicies(spec);
  if (spec['sessionAffinity'] !== 'ClientIP') return;
  const config = ensureChild(spec, 'sessionAffinityConfig');
  if (config !== undefined) ensureChild(config, 'clientIP');
}

/** Fills in a network policy: it rules what comes in, and what goes out if it has a word on it. */
export function fillNetworkPolicy(policy: Draft): void {
  const spec = childOf(policy, 'spec');
  if (spec === undefined) return;
  ensureChild(spec, 'podSelector');
  if (itemsCount(spec, 'policyTypes') > 0) return;
  spec['policyTypes'] = isAbsent(spec['egress']) ? ['Ingress'] : ['Ingress', 'Egress'];
}
